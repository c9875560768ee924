"""One mean, share or ratio with its interval, and the difference of two with its test."""
