"""The server with a real, small model: llama.cpp's own server on loopback."""
