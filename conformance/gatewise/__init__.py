"""What is done: generate, judge, gate; the command line."""
