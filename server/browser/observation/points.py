"""What is at a point of the window, and which element of the observation that is. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pydantic import BaseModel

from server.browser.observation.page import Element
from server.browser.observation.page_script import Box
from server.browser.observation.rendering import clean
from server.text import cut

POINT = "point"
"""The role of what is at a point if it is no element of the observation."""
POINT_NAME_CHARS = 80
NEAR_POINT_PIXELS = 6
"""Layers, from the innermost one, whose names say what a point is in."""
TOLERANCE = 2.0
"""CSS pixels by which two boxes of one element may differ: one of them is rounded."""
_SURFACES = frozenset({"canvas", "video", "embed", "object", "img", "svg"})
_LOOSE = frozenset({"clickable", "img", "image", "figure", "application", "region", "draggable"})
"""Roles of elements that may be a surface with many targets: a point on it says more than its name."""


class Layer(BaseModel, frozen=True):
    """One element at a point."""

    tag: str
    role: str = ""
    name: str = ""
    hint: str = ""
    """Its id and classes."""
    box: Box
    """In the coordinates of the page's window, also inside a frame."""
    inset: tuple[float, float] = (0.0, 0.0)
    """Borders and padding of the frames around it, right and down: boxes of a snapshot leave them out."""
    control: bool = False
    """A control by its tag, role or attributes."""


class Layers(BaseModel, frozen=True):
    """The elements at a point, from the innermost one outwards through shadow roots and frames."""

    layers: tuple[Layer, ...] = ()
    steps: tuple[str, ...] = ()
    """For each layer its tag and its number among the children of the next one."""
    surface: Box | None = None
    """Something drawn that is there: a canvas, a picture, a video, a large svg."""
    bound: str = ""
    """`dialog` or `form` if the point is in one."""
    frame: str = ""
    """Name and address of the innermost frame."""
    beyond: tuple[float, float, float, float] | None = None
    """Where the content of the frame of another site begins that the point is in, and its inset, as in `Layer`; it
    is not in `layers`."""
    width: float = 0
    height: float = 0
    """Of the window."""

    def key(self, at: int) -> str:
        """Identifies the layer `at` in its document while its surroundings are the same."""
        return "/".join(self.steps[at:])

    def reaches(self, key: str) -> bool:
        """Whether a press at this point still goes to the layer with this key, and to no control inside it."""
        for at, layer in enumerate(self.layers):
            if self.key(at) == key:
                return True
            if layer.control:
                return False
        return False

    def with_frame(self, inner: Layers) -> Layers:
        """With the layers of the frame `beyond`, which are in its own coordinates."""
        dx, dy, right, down = self.beyond or (0.0, 0.0, 0.0, 0.0)
        moved = tuple(
            one.model_copy(
                update={"box": _moved(one.box, dx, dy), "inset": (one.inset[0] + right, one.inset[1] + down)}
            )
            for one in inner.layers
        )
        further = inner.beyond
        return self.model_copy(
            update={
                "layers": (*moved, *self.layers), "steps": (*inner.steps, *self.steps),
                "surface": inner.surface and _moved(inner.surface, dx, dy), "bound": inner.bound or self.bound,
                "frame": inner.frame or self.frame,
                "beyond": further and (further[0] + dx, further[1] + dy, further[2] + right, further[3] + down),
            }
        )  # fmt: skip

    def masked(self, mask: Callable[[str], str]) -> Layers:
        layers = tuple(
            one.model_copy(update={"name": mask(one.name), "hint": mask(one.hint)}) for one in self.layers
        )
        return self.model_copy(update={"layers": layers, "frame": mask(self.frame)})


class PointHit(BaseModel, frozen=True):
    """What a press at a point goes to."""

    x: int
    y: int
    """CSS pixels of the window."""
    key: str
    """As `Layers.key`."""
    element: Element
    """One of the observation; else a description of what is there, with the role `point`."""
    surface: Box | None = None
    """The drawn thing that is there, if it is no element."""
    words: str = ""
    """Names, ids and classes of what is there and around it."""

    @property
    def is_element(self) -> bool:
        return self.element.role != POINT

    def fractions(self) -> tuple[float, float] | None:
        """Where in the element's box the point is, from 0 to 1 along each side; None without a box."""
        box = self.element.box
        if box is None or not box[2] or not box[3]:
            return None
        return round((self.x - box[0]) / box[2], 3), round((self.y - box[1]) / box[3], 3)


def find_hit(x: int, y: int, found: Layers, elements: Sequence[Element]) -> PointHit | None:
    """Which element a press at the point goes to; None if nothing is there.

    An element of the observation is recognised by its box. A control that the observation does not have, and a
    drawn surface, are described by a new element instead: nothing says what a press there does.
    """
    if not found.layers:
        return None
    hit = PointHit(
        x=x, y=y, key=found.key(0), element=_describe(found), surface=found.surface, words=_words(found)
    )
    known = hit.model_copy(update={"surface": None})
    if found.beyond:  # a frame whose content could not be read
        return known
    is_surface = found.layers[0].tag in _SURFACES or found.surface is not None
    for at, layer in enumerate(found.layers):
        element = _element_of(layer, elements)
        if element and not (is_surface and element.role in _LOOSE):
            return known.model_copy(update={"key": found.key(at), "element": element})
        if layer.control:
            return known
    return hit


def _element_of(layer: Layer, elements: Sequence[Element]) -> Element | None:
    """The element with the layer's box, preferably of its role; a press on a drop zone is for what is in it."""
    shown = _moved(layer.box, -layer.inset[0], -layer.inset[1])
    near = [one for one in elements if one.box and one.role != "dropzone" and _is_same_box(one.box, shown)]
    return next((one for one in near if one.role == layer.role), next(iter(near), None))


def _describe(found: Layers) -> Element:
    near = found.layers[:NEAR_POINT_PIXELS]
    names = list(dict.fromkeys(clean(layer.name) for layer in near if layer.name))
    group = f"{found.bound}:{POINT}" if found.bound else ""
    return Element(
        eid="", ref=found.key(0), role=POINT, name=cut(next(iter(names), found.layers[0].tag), POINT_NAME_CHARS),
        box=found.surface or found.layers[0].box, context=cut(" · ".join(names[1:]), 120), group=group,
        frame=cut(clean(found.frame), 120),
    )  # fmt: skip


def _words(found: Layers) -> str:
    near = (f"{layer.name} {layer.hint}" for layer in found.layers[:NEAR_POINT_PIXELS])
    return cut(clean(" ".join((*near, found.frame))), 600)


def _moved(box: Box, dx: float, dy: float) -> Box:
    return (box[0] + dx, box[1] + dy, box[2], box[3])


def _is_same_box(one: Box, other: Box) -> bool:
    return all(abs(a - b) <= TOLERANCE for a, b in zip(one, other, strict=True))


def is_same_hit(one: PointHit, other: PointHit) -> bool:
    """Whether both are the same thing at the same place."""
    if one.key != other.key and (one.element.ref != other.element.ref or not one.is_element):
        return False
    boxes = (one.element.box, other.element.box)
    return boxes[0] == boxes[1] or bool(boxes[0] and boxes[1] and _is_same_box(boxes[0], boxes[1]))
