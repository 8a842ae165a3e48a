"""Dialogs in which people share conversations by links; they load when they are first opened."""
