"""How well the backend of the dialog keeps to the protocol, and how well it answers."""
