"""The `pilothouse` command, also as `python -m pilothouse`."""

from cli.main import main

if __name__ == "__main__":
    main()
