"""The command line: `python -m chat_ui ask` and `python -m chat_ui check`."""
