"""Tests of the integration, its client and the fake provider."""
