"""Finds the PDF files that a page shows in a part of it, which no snapshot and no reading of the page has."""

from server.browser.scripts import script

DOCUMENTS_IN = script("documents")
"""An expression: name and address of each, and whether it is of the page's own site."""
