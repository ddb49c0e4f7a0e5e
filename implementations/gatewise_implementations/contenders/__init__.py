"""Implementations as they are timed: a case is loaded once, and its run repeated.

An adapter loads a case anew each time that it runs it, which is what a test needs and what a bench must not measure.
"""
