"""Automations: tasks that begin by time, by a web hook or manually, also while no user is present."""
