"""Knowledge of a recommender about its catalogue: content, ratings and titles."""
