"""What people send: images for a question, and sets of questions."""
