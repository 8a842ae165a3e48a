"""The branding of the page: its name, logo, colours and words, which the operator sets and the server reads at start."""
