"""The public resources: the health of the server, the files of the branding, and the words of a language."""
