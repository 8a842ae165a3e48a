"""The migrations of the store's schema."""
