"""What models are trained with: features, pairs, folds, calibration."""
