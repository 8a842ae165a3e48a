"""Evaluations that people have on the page: their files, and those that are under way."""
