"""A set of questions asked of a backend, and what the answers are worth: measures, changes, and a report."""
