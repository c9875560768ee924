"""Report on a judge's scores before and after correction with human labels."""
