"""What is built on the core and can be left out: the core imports none of it, `runtime` puts it in."""
