"""The command line: a client of the server's HTTP, SSE and WebSocket APIs, without session or browser."""
