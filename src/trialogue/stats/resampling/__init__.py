"""Resampling of whole clusters: bootstrap, jackknife, rarefaction."""
