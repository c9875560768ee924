"""Render documents, each medium once: terminal, page, CSV, LaTeX and Markdown, and the folder that holds them."""
