"""The face of the page: its name, logo, colours and words, chosen by the operator and set when the server starts."""
