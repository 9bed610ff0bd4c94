"""The command line: a reader of the server's HTTP and SSE, which keeps no session and drives no browser."""
