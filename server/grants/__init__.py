"""Grants: what a person allows for longer than one act, and what that covers."""
