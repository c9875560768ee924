"""Any agent as a server."""
