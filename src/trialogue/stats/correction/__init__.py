"""Prediction-powered estimates of human judgements: a judge's scores of all units, corrected with human labels of some."""
