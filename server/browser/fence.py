"""Marks text that came from a page as what it is: data that nobody vouches for."""

MAX_CHARS = 12_000


def fence(text: str) -> str:
    """The text, cut, between marks that it cannot close itself."""
    text = text.replace("</untrusted-page", "< /untrusted-page")
    if len(text) > MAX_CHARS:
        kept = text[:MAX_CHARS].rpartition("\n")[0] or text[:MAX_CHARS]
        more = text.count("\n") - kept.count("\n")
        text = f"{kept}\n... truncated, {more} more lines"
    return f"<untrusted-page>\n{text}\n</untrusted-page>"
