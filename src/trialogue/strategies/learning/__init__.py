"""Training components: features, pairs, folds, calibration."""
