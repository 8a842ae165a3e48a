"""The report of a run: one HTML file that runs without a network."""
