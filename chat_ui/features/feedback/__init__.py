"""What people think of answers, as lines of files."""
