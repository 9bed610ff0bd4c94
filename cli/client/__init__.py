"""The client of the server: HTTP, the event stream, the dialogue, and the types of what it sends."""
