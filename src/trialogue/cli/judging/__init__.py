"""Commands about judges."""
