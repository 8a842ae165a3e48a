"""What everybody gets alike: the state of the server, the files of the branding, and the words of a language."""
