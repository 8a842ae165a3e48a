"""The operator's branding of the page: name, logo, colours and texts, read when the server starts."""
