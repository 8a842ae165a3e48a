"""The states of what a person does with recordings."""
