"""What is said of systems by a judge, by labels of people, and by both together."""
