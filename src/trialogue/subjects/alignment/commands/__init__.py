"""Behavior Alignment of several systems, its checks against labels of people, labels of models, and the next strategy."""
