"""A conversation, or one answer, as one HTML file that needs no network."""
