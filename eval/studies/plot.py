"""A scatter plot with lines, as SVG, without a drawing library."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

_WIDTH, _HEIGHT = 640, 420
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 110, 20, 50
_COLOURS = (
    *("#4c72b0", "#dd8452", "#55a868", "#c44e52", "#8172b3", "#937860", "#da8bc3", "#555555"),
    *("#b3a000", "#17a2b8"),
)
_TICKS = 5


@dataclass(frozen=True, slots=True)
class Point:
    """One point with its label; without one, it is drawn small."""

    x: float
    y: float
    label: str = ""


@dataclass(frozen=True, slots=True)
class _Scale:
    """Maps values from `low` to `high` to positions from `start` to `end`."""

    low: float
    high: float
    start: float
    end: float

    @classmethod
    def of(cls, values: Sequence[float], start: float, end: float) -> _Scale:
        margin = (max(values) - min(values)) * 0.08 or 0.05
        return cls(min(values) - margin, max(values) + margin, start, end)

    def place(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return round(self.start + share * (self.end - self.start), 1)

    def ticks(self) -> Iterator[float]:
        for step in range(_TICKS):
            yield self.low + (self.high - self.low) * (step + 0.5) / _TICKS


def scatter(series: Mapping[str, Sequence[Point]], x_title: str, y_title: str) -> str:
    """Return an SVG with one line of points per series, in the order of the points."""
    points = [point for line in series.values() for point in line]
    across = _Scale.of([p.x for p in points], _LEFT, _WIDTH - _RIGHT)
    up = _Scale.of([p.y for p in points], _HEIGHT - _BOTTOM, _TOP)
    body = [*_axes(across, up, x_title, y_title)]
    for number, (name, line) in enumerate(series.items()):
        body += _line(name, line, _COLOURS[number % len(_COLOURS)], across, up)
        y = _TOP + 18 * number
        body.append(_text(_WIDTH - _RIGHT + 12, y + 12, name, _COLOURS[number % len(_COLOURS)]))
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        'font-family="sans-serif" font-size="12">'
    )
    background = f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>'
    return "\n".join([head, background, *body, "</svg>"]) + "\n"


def _axes(across: _Scale, up: _Scale, x_title: str, y_title: str) -> Iterator[str]:
    bottom = _HEIGHT - _BOTTOM
    yield f'<path d="M{_LEFT} {_TOP}V{bottom}H{_WIDTH - _RIGHT}" fill="none" stroke="black"/>'
    for value in across.ticks():
        yield _text(across.place(value), bottom + 18, f"{value:.2f}", anchor="middle")
    for value in up.ticks():
        yield _text(_LEFT - 8, up.place(value) + 4, f"{value:.2f}", anchor="end")
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    yield _text(middle, _HEIGHT - 10, x_title, anchor="middle")
    turned = f"rotate(-90 16 {_HEIGHT / 2})"
    yield _text(16, _HEIGHT / 2, y_title, anchor="middle", transform=turned)


def _line(
    name: str, line: Sequence[Point], colour: str, across: _Scale, up: _Scale
) -> Iterator[str]:
    places = [(across.place(p.x), up.place(p.y)) for p in line]
    joined = " ".join(f"{x},{y}" for x, y in places)
    yield f'<polyline points="{joined}" fill="none" stroke="{colour}"/>'
    for (x, y), point in zip(places, line, strict=True):
        title = escape(f"{name}, {point.label}: {point.x:.3f}, {point.y:.3f}")
        radius = 4 if point.label else 1.5
        shape = f'cx="{x}" cy="{y}" r="{radius}" fill="{colour}"'
        yield f"<circle {shape}><title>{title}</title></circle>"
        if point.label:
            yield _text(x + 6, y - 5, point.label, colour)


def _text(
    x: float, y: float, text: str, fill: str = "black", anchor: str = "start", transform: str = ""
) -> str:
    turned = f' transform="{transform}"' if transform else ""
    return (
        f'<text x="{x}" y="{y}" fill="{fill}" text-anchor="{anchor}"{turned}>{escape(text)}</text>'
    )
