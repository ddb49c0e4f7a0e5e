"""What a bench tells: how long implementations take, and what that comes to."""
