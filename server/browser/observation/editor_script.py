"""Finds editors in a page: what is typed into that is no form field, such as a code editor or a text with formats."""

from server.browser.scripts import script

EDITORS_IN = script("editors")
"""Takes a function that finds elements by a selector. Returns the editors: what takes the keys, what shows the text."""
