"""Outcomes by needs: what the system recommends, and whether it is what the user was after."""
