"""Inputs of commands: corpora, files, study exports, labels, catalogues."""
