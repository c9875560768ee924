"""Published results made again, beside ours: one package per paper."""
