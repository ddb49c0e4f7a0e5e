"""What is told: result records and the ways to show them."""
