"""Free disk space, and the size of folders."""

from __future__ import annotations

import os
import re
import shutil
from contextlib import suppress
from pathlib import Path

from wording.catalogue import Wording, sentence

MEGABYTE = 1_000_000
MOUNTS = Path("/proc/self/mountinfo")
NETWORK_FILE_SYSTEMS = frozenset(
    {
        "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "glusterfs", "lustre", "beegfs", "ocfs2", "gfs2",
        "fuse.sshfs", "fuse.rclone", "fuse.s3fs", "fuse.glusterfs", "fuse.ceph", "fuse.davfs", "fuse.juicefs",
    }
)  # fmt: skip
"""As the kernel names them."""


def shortage(folder: Path, floor: int) -> Wording | None:
    """A description if the disk of `folder` has less than `floor` MB free or cannot be read; else None."""
    try:
        free = shutil.disk_usage(folder).free // MEGABYTE
    except OSError as error:
        return sentence("disk.unreadable", why=str(error.strerror))
    if free >= floor:
        return None
    return sentence("disk.short", n=free, kept=floor)


def network_file_system(folder: Path, mounts: Path = MOUNTS) -> str | None:
    """The name of the network file system that the folder is on; None if it is on a disk, or that cannot be found out.

    `mounts`: a table of mounts as in proc(5).
    """
    path = folder.resolve()
    try:
        rows = [line.partition(" - ") for line in mounts.read_text(errors="replace").split("\n")]
    except OSError:  # not Linux
        return None
    kinds = {
        _unescaped(row.split(" ")[4]): kind.split(" ")[0] for row, _, kind in rows if row.count(" ") >= 4
    }
    kind = next((kinds[str(place)] for place in (path, *path.parents) if str(place) in kinds), "")
    return kind if kind in NETWORK_FILE_SYSTEMS else None


def _unescaped(field: str) -> str:
    """A field of the table, where spaces and others are octal numbers."""
    return re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), field)


def size_of(folder: Path) -> int:
    """Bytes on disk of all files below `folder`; symbolic links are not followed."""
    total = 0
    pending = [os.fspath(folder)]
    while pending:
        with suppress(OSError), os.scandir(pending.pop()) as entries:  # removed concurrently
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    pending.append(entry.path)
                else:
                    total += entry.stat(follow_symlinks=False).st_blocks * 512
    return total
