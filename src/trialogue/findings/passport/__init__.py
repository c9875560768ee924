"""The passport of simulated users: six parts side by side, and never one number for all of them."""
