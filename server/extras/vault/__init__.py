"""Logins that the agents can use without seeing them: stored, encrypted, matched to pages, logged."""
