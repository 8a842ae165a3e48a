from chat_ui.feature import Feature

FEATURE = Feature(name="comparing", has_page=True)
