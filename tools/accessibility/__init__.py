"""The accessibility record: WCAG 2.2 criteria with the tests and manual reviews that cover them."""
