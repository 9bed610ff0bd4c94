"""Automations: tasks that begin by time, by a webhook or manually, also while no user is present."""
