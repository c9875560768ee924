"""Scripted participants who see only the pages: they parse the HTML, fill in its forms and submit them."""
