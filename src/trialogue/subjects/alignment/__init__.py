"""Alignment profiles by strategy and turn, and differentiation of metrics."""
