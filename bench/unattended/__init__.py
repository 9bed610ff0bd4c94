"""Benches of unattended work: runs of automations, and days of their schedules."""
