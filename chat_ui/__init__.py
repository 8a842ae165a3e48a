"""A chat page and client for backends that speak the HTTP protocol for AI chat apps."""

__version__ = "0.1.0"
