"""The record of accessibility: which criteria of WCAG 2.2 hold, by which tests and which looks."""
