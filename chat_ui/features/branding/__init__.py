"""The branding of the page: name, logo, colours and words, set by the operator and read when the server starts."""
