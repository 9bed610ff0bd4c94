"""What is entered at the prompt: `table.py` has every command with its help and handler, `parser.py` reads a line."""
