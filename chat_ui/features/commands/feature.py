from chat_ui.feature import Feature

FEATURE = Feature(name="commands", has_page=True)
