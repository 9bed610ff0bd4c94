"""Messages to the person outside of the web UI: webhooks and the services of the Apprise library."""
