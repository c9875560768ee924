"""A judge's scores beside what labels of people make of them."""
