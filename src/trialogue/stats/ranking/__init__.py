"""Rankings of several systems from votes or scores, with their uncertainty."""
