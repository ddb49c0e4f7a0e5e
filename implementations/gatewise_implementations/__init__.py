"""What is tested: one adapter module per system, each run in a worker process."""
