"""What other people's suites need of us: programs that they call, with results as a line of JSON."""
