"""A chat page and client for backends that speak the HTTP protocol for AI chat apps."""

__version__ = "0.2.0"
