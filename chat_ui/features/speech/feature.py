"""Dictation of questions, and speech output of answers."""

from chat_ui.feature import Feature

FEATURE = Feature(name="speech", has_page=True)
