"""Custom integrations."""
