"""What commands share: options, inputs, progress on stderr."""
