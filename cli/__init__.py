"""The command line: a client of the server's HTTP, SSE and WebSocket. It keeps no session and drives no browser."""
