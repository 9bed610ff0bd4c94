"""Streaming: what a token costs and how late it comes, from the provider's socket to the reader."""
