"""Mixed models of ratings: numeric and ordinal, with crossed random intercepts."""
