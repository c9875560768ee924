"""Resampling whole clusters: bootstrap, jackknife, rarefaction."""
