"""The integration in a real browser: Debian's chromium, and the demo behind it."""
