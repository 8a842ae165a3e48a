"""The rules of what backends speak beside the AI Chat Protocol: a module for each published description."""
