"""Classifiers of sentence pairs: the paper's model, its training pairs and protocols."""
