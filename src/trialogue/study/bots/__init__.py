"""Scripted participants, who know nothing but the pages: they read the HTML, fill in its forms and send them."""
