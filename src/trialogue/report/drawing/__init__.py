"""Pictures as lists of marks, drawn as SVG and PNG."""
