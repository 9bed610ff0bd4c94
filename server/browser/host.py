"""`python -m server.browser.host`: the entry point of browser hosts, which are an addition (`server/extras/hosts`)."""

import sys

from server.extras.hosts.program import main

if __name__ == "__main__":
    sys.exit(main())
