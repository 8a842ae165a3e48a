"""Questions to a backend, and the evaluation of its answers: measures, changes, and a report."""
