"""Vector drawings as lists of marks, rendered as SVG and PNG."""
