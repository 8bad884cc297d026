"""The demo: the fake provider and a real Home Assistant that knows an account of it."""
