"""Texts and files to be read: a long article, a long table, a PDF."""

from __future__ import annotations

import io
import zipfile

ARTICLE_WORDS = 10_000
_FILLER = [
    "The",
    "valley",
    "was",
    "quiet",
    "that",
    "year",
    "and",
    "the",
    "river",
    "kept",
    "its",
    "course",
    "between",
    "the",
    "old",
    "mills",
    "and",
    "the",
    "road",
]


def article(sections: int = 20) -> list[tuple[str, list[str]]]:
    """Sections of a text of 10,000 words: title and paragraphs. Each section contains one number of its own."""
    words = ARTICLE_WORDS // sections // 5
    told = []
    for section in range(1, sections + 1):
        paragraphs = [
            " ".join(_FILLER[(at + section) % len(_FILLER)] for at in range(words)) + "." for _ in range(4)
        ]
        last = " ".join(_FILLER[at % len(_FILLER)] for at in range(words - 6))
        told.append(
            (f"Section {section}", [*paragraphs, f"Mill {section} had {section * 37} windows then. {last}."])
        )
    return told


def article_page() -> str:
    body = "".join(
        f"<h2>{title}</h2>" + "".join(f"<p>{text}</p>" for text in paragraphs)
        for title, paragraphs in article()
    )
    menu = "".join(f"<li><a href='/menu/{number}'>Menu {number}</a></li>" for number in range(30))
    return (
        f"<!doctype html><title>Mills</title><body><nav><ul>{menu}</ul></nav><main><h1>The mills</h1>{body}</main>"
        "<footer>Imprint and privacy</footer>"
    )


def table_page(rows: int = 300) -> str:
    body = "".join(
        f"<tr><td><a href='/part/{n}'>Part {n}</a></td><td>{n * 3} kg</td><td>Shelf {n % 7}</td></tr>"
        for n in range(1, rows + 1)
    )
    return (
        "<!doctype html><title>Parts</title><body><h1>Parts</h1><table><thead><tr><th>Name</th><th>Weight</th>"
        f"<th>Place</th></tr></thead><tbody>{body}</tbody></table>"
    )


def make_pdf(*pages: str) -> bytes:
    """A PDF with one page for each text; lines are separated by line ends."""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>", b"",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]  # fmt: skip
    kids = []
    for text in pages:
        lines = b" ".join(b"(%s) Tj T*" % line.encode() for line in text.split("\n"))
        stream = b"BT /F1 12 Tf 14 TL 72 720 Td " + lines + b" ET"
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R "
            b"/Resources << /Font << /F1 3 0 R >> >> >>" % len(objects)
        )
        kids.append(len(objects))
    objects[1] = b"<< /Type /Pages /Count %d /Kids [%s] >>" % (
        len(kids),
        b" ".join(b"%d 0 R" % k for k in kids),
    )
    out, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, table)
    return out + b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, start)


def make_docx() -> bytes:
    """A DOCX with a heading, a paragraph and a table of one row."""
    names = "http://schemas.openxmlformats.org"
    text = "<w:p>{style}<w:r><w:t>{text}</w:t></w:r></w:p>"
    cells = "".join(f"<w:tc>{text.format(style='', text=cell)}</w:tc>" for cell in ("Fee", "5 | 6"))
    body = (
        text.format(style='<w:pPr><w:pStyle w:val="Heading1"/></w:pPr>', text="Terms")
        + text.format(style="", text="Returns within 14 days.")
        + f"<w:tbl><w:tr>{cells}</w:tr></w:tbl>"
    )
    members = {
        "[Content_Types].xml": f'<Types xmlns="{names}/package/2006/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{names}/package/2006/relationships"><Relationship Id="r1" Type="{names}'
        '/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/document.xml": f'<w:document xmlns:w="{names}/wordprocessingml/2006/main"><w:body>{body}</w:body>'
        "</w:document>",
        "word/styles.xml": f'<w:styles xmlns:w="{names}/wordprocessingml/2006/main"><w:style w:type="paragraph" '
        'w:styleId="Heading1"><w:name w:val="heading 1"/></w:style></w:styles>',
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        for name, content in members.items():
            packed.writestr(name, content)
    return out.getvalue()
