"""Pictures of the web UI in all its states."""
