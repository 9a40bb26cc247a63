"""The order of a draft's items: by attribute, and unlike the record's own order.

The items of one attribute form a block and stay in the record's order. Of all orders of blocks that
are unlike the record, the most natural is taken. Only where there is none, blocks are split in
parts and the last part comes first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise, permutations
from typing import TypeVar

from sage_rag.agents.protocols import Attribute
from sage_rag.agents.rules.presets import cues
from sage_rag.privacy.gate.leakage import Original
from sage_rag.privacy.gate.subsequences import longest_common_subsequence
from sage_rag.privacy.words import tokenize

ALIKE = 0.47
"""ROUGE-L F up to which an order is unlike enough: the gate allows 0.5."""

_PARTS = (1, 2, 3, 5, 99)
"""The most parts of a block that are tried, in this order; 99: item by item."""
_IN_PARTS = 1.0
_TOGETHER = 0.6
"""The cost of an item that directly follows its predecessor in the record: a run of words over the
end of an item has to be changed."""
_TRIES = 3
_CHEAPEST = 40
"""Orders of blocks that are compared with the record: the most natural ones, and the least
natural."""
_MOVED = 5
"""Of more attributes than this, neighbours move together: ten have millions of orders."""

_T = TypeVar("_T")
Block = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Order:
    """One order of one field's blocks. `shared`: length of the longest common subsequence of words
    with the record; `cost`: how unnatural the order is."""

    blocks: tuple[tuple[Attribute, Block], ...]
    cost: float
    shared: int

    @property
    def items(self) -> tuple[str, ...]:
        """All items, in this order."""
        return tuple(item for _, block in self.blocks for item in block)


def arrange(
    fields: Mapping[str, Mapping[Attribute, Sequence[str]]],
    items: Mapping[str, tuple[str, ...]],
    original: Original,
) -> list[tuple[Attribute, str]]:
    """Return the items with their attributes, in the order in which a draft states them.

    `fields`: the items by field and attribute, in the preset's order; `items`: the same items by
    field, in the record's order. Deterministic.
    """
    choices = {name: _choices(found, items[name], original) for name, found in fields.items()}
    size = len(original.tokens) + sum(len(tokenize(s)) for own in items.values() for s in own)
    allowed = ALIKE * size / 2
    chosen = _choose(choices, allowed)
    for _ in range(_TRIES):
        text = "\n".join(" ".join(order.items) for order in chosen)
        over = original.rouge_l(text) - ALIKE
        if over <= 0:
            break
        # Words of one field also occur in others.
        allowed -= max(1.0, over * size / 2)
        chosen = _choose(choices, allowed)
    return [(a, item) for order in chosen for a, block in order.blocks for item in block]


def _choose(choices: Mapping[str, list[Order]], allowed: float) -> list[Order]:
    """Return the most natural orders that share no more words than allowed with the record.

    Starts with the most natural order of each field, then repeatedly takes the step that reduces
    the shared words most per unit of cost.
    """
    at = dict.fromkeys(choices, 0)
    while sum(choices[name][place].shared for name, place in at.items()) > allowed:
        steps = [
            (_worth(orders[at[name]], other), name, place)
            for name, orders in choices.items()
            for place, other in enumerate(orders[at[name] + 1 :], at[name] + 1)
        ]
        if not steps:
            break
        _, name, place = max(steps, key=lambda step: step[0])
        at[name] = place
    return [choices[name][place] for name, place in at.items()]


def _worth(now: Order, other: Order) -> float:
    return (now.shared - other.shared) / (other.cost - now.cost + 0.1)


def _choices(
    found: Mapping[Attribute, Sequence[str]], in_record: Sequence[str], original: Original
) -> list[Order]:
    """Return orders of one field, each less natural and less like the record than the one
    before."""
    if not found:
        return [Order((), 0.0, 0)]
    names = list(found)
    tokens = original.tokens
    orders = sorted(
        ((_unnatural(order, names), order) for order in _orders(names)), key=lambda o: o[0]
    )
    orders = [*orders[:_CHEAPEST], *orders[_CHEAPEST:][-1:]]
    before = dict(zip(in_record[1:], in_record, strict=False))
    kept: list[Order] = []
    for parts in _PARTS:
        for cost, order in orders:
            blocks = tuple((a, _in_parts(found[a], parts)) for a in order)
            items = [item for _, block in blocks for item in block]
            adjacent = sum(before.get(two) == one for one, two in pairwise(items))
            cost = cost + _IN_PARTS * (parts > 1) + _TOGETHER * adjacent
            shared = longest_common_subsequence(tokens, tokenize(" ".join(items)))
            kept.append(Order(blocks, cost, shared))
    return list(_frontier(kept))


def _orders(names: Sequence[Attribute]) -> Iterator[tuple[Attribute, ...]]:
    """Yield orders of attributes: all of them, up to `_MOVED` attributes."""
    for order in permutations(_cut(names, _MOVED)):
        yield tuple(chain.from_iterable(order))


def _frontier(orders: Sequence[Order]) -> Iterator[Order]:
    """Yield the Pareto-optimal orders in `cost` and `shared`, the most natural first."""
    least: int | None = None
    for order in sorted(orders, key=lambda o: (o.cost, o.shared)):
        if least is None or order.shared < least:
            least = order.shared
            yield order


def _in_parts(items: Sequence[str], parts: int) -> Block:
    """Split a block in `parts` parts of equal length and return the last part first."""
    return tuple(chain.from_iterable(reversed(_cut(items, parts))))


def _cut(items: Sequence[_T], parts: int) -> list[Sequence[_T]]:
    """Cut a sequence into `parts` parts of equal length, or fewer if it has fewer items."""
    count = min(parts, len(items))
    cuts = [round(n * len(items) / count) for n in range(count + 1)]
    return [items[a:b] for a, b in pairwise(cuts)]


def _unnatural(order: Sequence[Attribute], natural: Sequence[Attribute]) -> float:
    """Return the cost of an order compared with the natural one.

    A question may come first or last.
    """
    free = {a for a in (order[0], order[-1]) if asks(a)}
    rest = [natural.index(a) for a in order if a not in free]
    out_of_place = sum(two < one for place, one in enumerate(rest) for two in rest[place:])
    inside = sum(asks(a) for a in order[1:-1])
    return out_of_place + 2.0 * inside


def asks(attribute: Attribute) -> bool:
    """Return whether an attribute is the question of a record."""
    return "wonder" in cues(attribute) or "ask" in cues(attribute)
