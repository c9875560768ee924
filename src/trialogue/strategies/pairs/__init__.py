"""Classifiers of pairs of sentences: the paper's model, its training pairs and protocols."""
