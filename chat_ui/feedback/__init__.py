"""What people think of answers, as it goes out: files, and deliveries to an address of the operator's."""
