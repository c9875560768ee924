"""Means, differences, ranks and correlations of people's judgements, from a judge of everything and labels of a few."""
