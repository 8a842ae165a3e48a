"""What people send: images for a question, recordings, and sets of questions."""
