"""Routes for standing instructions, and for notes about sites."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter
from pydantic import AfterValidator, Field
from starlette.responses import Response

from server.api.deps import Body, RuntimeDep, SessionId, Text
from server.api.schemas import ExportedNote, ExportedNotes, ImportedNotes, Instructions, Note, NoteList
from server.database.models import NoteRow
from server.events import now
from server.knowledge.rules import MAX_INSTRUCTIONS, NoteRefused, check_note, read_site
from server.runtime import Runtime

router = APIRouter(prefix="/api")

InstructionText = Annotated[Text, Field(max_length=MAX_INSTRUCTIONS)]
"""An empty one takes the instructions away."""
NoteText = Annotated[Text, Field(max_length=2000)]
SiteName = Annotated[Text, Field(min_length=1, max_length=2000)]


class InstructionsBody(Body):
    text: InstructionText


class NewNote(Body):
    site: SiteName
    """A host or an address; the note is about its registrable domain."""
    text: NoteText


def _is_kept(value: bool) -> bool:
    if not value:
        raise ValueError("a kept note cannot become a proposed one; delete it")
    return value


class NoteChange(Body):
    text: NoteText | None = None
    pinned: bool | None = None
    kept: Annotated[bool, AfterValidator(_is_kept)] | None = None
    """True keeps a proposed note; to drop one, delete it."""


class ImportedNote(NewNote):
    pinned: bool = False


class NotesFile(Body):
    version: Annotated[int, Field(ge=1, le=1)]
    notes: Annotated[list[ImportedNote], Field(max_length=1000)]


@router.get("/instructions")
async def read_instructions(runtime: RuntimeDep) -> Instructions:
    return Instructions(text=await runtime.store.instructions())


@router.put("/instructions")
async def set_instructions(body: InstructionsBody, runtime: RuntimeDep) -> Instructions:
    """What the person wants all runs to heed."""
    await runtime.store.set_instructions(body.text.strip())
    runtime.knowledge.note_change()
    return Instructions(text=body.text.strip())


@router.get("/notes")
async def list_notes(
    runtime: RuntimeDep,
    site: SiteName | None = None,
    session_id: SessionId | None = None,
    kept: bool | None = None,
) -> NoteList:
    """By site, then newest confirmed first. `kept` false: those that wait for the person."""
    rows = await runtime.store.notes(site=read_site(site) if site else None, session_id=session_id, kept=kept)
    return NoteList(items=[Note.model_validate(row) for row in rows])


@router.get("/notes/export")
async def export_notes(runtime: RuntimeDep, response: Response) -> ExportedNotes:
    """The kept notes, as `POST /notes/import` takes them."""
    response.headers["content-disposition"] = 'attachment; filename="notes.json"'
    rows = await runtime.store.notes(kept=True)
    return ExportedNotes(notes=[ExportedNote.model_validate(row) for row in rows])


@router.post("/notes/import", status_code=201)
async def import_notes(body: NotesFile, runtime: RuntimeDep) -> ImportedNotes:
    """Add the notes of an export as proposed ones: a file keeps none. Those that the rules refuse are left out."""
    added, refused = list[NoteRow](), 0
    for one in body.notes:
        site = read_site(one.site)
        try:
            text = await _checked(one.text, site)
        except NoteRefused:
            refused += 1
            continue
        row = await runtime.store.add_note(site, text, "import", kept=False)
        added.append(await runtime.store.change_note(row.id, pinned=row.pinned or one.pinned))
    return ImportedNotes(items=[Note.model_validate(row) for row in added], refused=refused)


@router.post("/notes", status_code=201)
async def add_note(body: NewNote, runtime: RuntimeDep) -> Note:
    """A note of the person's own, which is kept. Refused with `note_refused` if it cannot be one."""
    site = read_site(body.site)
    row = await runtime.store.add_note(site, await _checked(body.text, site), "person", kept=True)
    return await _changed(runtime, row)


@router.patch("/notes/{note_id}")
async def change_note(note_id: Text, body: NoteChange, runtime: RuntimeDep) -> Note:
    row = await runtime.store.change_note(note_id)
    values: dict[str, object] = {} if body.pinned is None else {"pinned": body.pinned}
    if body.text is not None:
        values["text"] = await _checked(body.text, row.site)
    if body.kept or (body.text is not None and row.confirmed_at is not None):
        values["confirmed_at"] = now()
    return await _changed(runtime, await runtime.store.change_note(note_id, **values))


@router.delete("/notes/{note_id}", status_code=204)
async def remove_note(note_id: Text, runtime: RuntimeDep) -> Response:
    await _changed(runtime, await runtime.store.remove_note(note_id))
    return Response(status_code=204)


@router.delete("/notes", status_code=204)
async def remove_notes(runtime: RuntimeDep, site: SiteName | None = None) -> Response:
    """Remove all notes, or those of one site."""
    await runtime.store.remove_notes(read_site(site) if site else None)
    return Response(status_code=204)


async def _checked(text: str, site: str) -> str:
    """In a thread: the first check loads the policy's words, which takes a second. Raises NoteRefused."""
    return await asyncio.to_thread(check_note, text, site)


async def _changed(runtime: Runtime, row: NoteRow) -> Note:
    """The next model call reads it, and other clients of its session read the proposals again."""
    runtime.knowledge.note_change()
    if row.session_id:
        await runtime.commands.announce(row.session_id)
    return Note.model_validate(row)
