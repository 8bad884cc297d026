"""The client alone, without Home Assistant, against the fake provider."""
