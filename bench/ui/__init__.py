"""The web UI: what it weighs and what it costs the browser's main thread."""
