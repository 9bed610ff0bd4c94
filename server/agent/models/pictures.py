"""The size of pictures that each provider reads well and cheaply."""

from __future__ import annotations

from langchain_core.language_models import BaseChatModel

LONG_SIDE = 1024
"""Pixels. A page of 1280 x 720 is then 1024 x 576."""

_LONG_SIDES = {"gemini": 768}
"""By a word in the module of the model's class. Tokens of such a page, as the providers describe their count:

| provider | pixels | tokens |
|---|---|---|
| Anthropic | 1024 x 576 | width * height / 750, about 790 |
| OpenAI, tiles of 512 | 1024 x 576 | 85 + 170 for each of 4 tiles, 765 |
| OpenAI, patches of 32 | 1024 x 576 | one for each of 576 patches, times the model's factor |
| Google, tiles of 768 | 768 x 432 | 258 for the one tile |
"""


def long_side_for(model: BaseChatModel) -> int:
    """Pixels of the longer side of a picture for this model."""
    module = type(model).__module__
    return next((side for word, side in _LONG_SIDES.items() if word in module), LONG_SIDE)
