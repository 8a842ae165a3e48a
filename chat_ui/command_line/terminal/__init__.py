"""What commands write to a terminal, or to what stands in its place."""
