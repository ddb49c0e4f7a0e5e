"""A model of a document: the operation gru of Apple's BNNSGraph.Builder as its page describes it (docs/bnns.md).

Nothing of Apple's runs here. Where the page contradicts itself, the model takes the reading that it is asked for.
"""
