"""What a page is about to send: its shape, and whether it has an effect that was not approved."""
