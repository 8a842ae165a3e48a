"""The steps by which the store's schema came to what it is, and how they are applied."""
