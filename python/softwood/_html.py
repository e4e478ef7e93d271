"""Placeholder until the view is written below."""
