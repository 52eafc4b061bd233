from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from memlab.course import map_alt, system_map, write_maps
from memlab.course.overview import ROOMS, WAYS, lit_rooms

ROOT = Path(__file__).resolve().parents[3]
SVG = "{http://www.w3.org/2000/svg}"


def texts(svg: str) -> list[str]:
    return ["".join(each.itertext()) for each in ElementTree.fromstring(svg).iter(f"{SVG}text")]


@pytest.mark.parametrize("notebook", range(12))
def test_it_is_an_svg_with_title_description_and_every_room(notebook: int) -> None:
    tree = ElementTree.fromstring(system_map(notebook))
    assert tree.get("role") == "img"
    assert tree.findtext(f"{SVG}title") == "How a coding agent remembers"
    assert tree.findtext(f"{SVG}desc") == map_alt(notebook)
    shown = " ".join(texts(system_map(notebook)))
    assert all(room.title in shown for room in ROOMS)


def test_a_lit_room_is_marked_and_not_by_colour_alone() -> None:
    marked = [text for text in texts(system_map(4)) if text.startswith("▸")]
    assert marked == ["▸ recall"]
    assert "Lit: recall." in map_alt(4)


@pytest.mark.parametrize("notebook", [0, 11])
def test_first_and_last_light_the_whole_house(notebook: int) -> None:
    assert lit_rooms(notebook) == ROOMS
    assert "All rooms are lit." in map_alt(notebook)


def test_every_notebook_between_has_a_room() -> None:
    assert {room.notebook for room in ROOMS} == set(range(1, 11))


def test_every_arrow_begins_and_ends_at_a_room() -> None:
    def touches(point: tuple[int, int]) -> bool:
        x, y = point
        return any(room.x <= x <= room.x + 168 and room.y <= y <= room.y + 62 for room in ROOMS)

    for way in WAYS:
        assert touches(way.points[0]), way
        assert touches(way.points[-1]), way


def test_a_map_is_written_for_each_notebook_there_is(tmp_path: Path) -> None:
    (tmp_path / "03_scan.ipynb").write_text("{}", encoding="utf-8")
    assert [path.name for path in write_maps(tmp_path)] == ["map_03.svg"]
    written = (tmp_path / "images" / "map_03.svg").read_text(encoding="utf-8")
    assert written == system_map(3)


def test_the_stored_maps_are_what_would_be_drawn_today() -> None:
    stored = sorted((ROOT / "notebooks" / "images").glob("map_*.svg"))
    assert stored, "notebook 00 has a map"
    for path in stored:
        assert path.read_text(encoding="utf-8") == system_map(int(path.stem[-2:])), path.name
