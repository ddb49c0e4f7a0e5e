"""What the right answer is: the float64 model with its bounds, the readings of open points, the recordings."""
