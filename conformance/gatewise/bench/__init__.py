"""How long implementations take, measured in one run."""
