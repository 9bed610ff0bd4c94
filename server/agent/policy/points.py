"""Judge an act at a point of the picture where the page names nothing."""

from __future__ import annotations

import re

from server.agent.policy.page_context import read_context
from server.agent.policy.verdict import EFFECTLESS, Judgement, Subject, ask

_MAP = re.compile(
    r"(?<![^\W_])(maps?|globe|charts?|graphs?|plots?|diagrams?|timeline|panorama|karten?|landkarte|stadtplan|diagramm|grafik"
    r"|cartes?|graphique|mapas?|gr[aá]fico|mappa|grafico|kaart|grafiek|kart|kort|karta|kartta|harita|mapy|wykres|térkép"
    r"|χάρτης|карт[аы]|мапа|график|диаграмма|графік|خريطة|מפה|नक्शा|แผนที่|bản đồ|peta)(?![^\W_])|leaflet|maplibre|mapbox"
    r"|地图|地圖|地図|マップ|グラフ|图表|圖表|지도|차트",
    re.IGNORECASE,
)
"""Names, ids and classes of what is moved to see another part of it."""
_WEIGHTY = 2


def assess_pan(subject: Subject) -> Judgement:
    """Judge a long drag within one drawn surface. `name` has its names, ids and classes, `context` the page's text.

    It only moves a map or a chart if the page calls it one, outside of forms and dialogs, and if nothing on the
    page is evidence of an effect.
    """
    if subject.in_dialog or not _MAP.search(subject.name):
        return ask("point")
    context = read_context(subject.context, subject.url, subject.lang)
    return ask("point") if max(context.evidence.values(), default=0) >= _WEIGHTY else EFFECTLESS
