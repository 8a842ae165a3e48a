"""The settings of an app with all its features."""

from chat_ui.feature import settings_of
from chat_ui.installed import FEATURES

AppSettings = settings_of(FEATURES)
