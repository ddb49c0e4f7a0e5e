"""Many implementations in one matrix: what each makes of every feature of the cases."""
