"""The differential fuzzer: cases are drawn, run and judged in rounds; faults are told apart, shrunk and kept."""
