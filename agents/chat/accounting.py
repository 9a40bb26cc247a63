"""What asking models costs: calls, tokens, time and money, by stage and by record."""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, fields, replace
from typing import Any

from sage_rag.agents.chat.protocols import TokenUsage

_MILLION = 1_000_000
_ALL = ""
_UNNAMED = "other"


@dataclass(frozen=True, slots=True)
class Price:
    """What a million tokens cost, in the currency that budgets and reports use."""

    prompt_per_million: float
    completion_per_million: float

    def of(self, usage: TokenUsage) -> float:
        """Return what a call cost at list price; discounts for cached prefixes are not known."""
        prompt = usage.prompt_tokens * self.prompt_per_million
        return (prompt + usage.completion_tokens * self.completion_per_million) / _MILLION


@dataclass(slots=True)
class Tally:
    """Counts of one stage, or of all.

    `calls` reached the model and were answered; `cache_hits` did not need to. `estimated` counts
    the calls whose tokens nobody told, so that they were estimated from the text. `seconds` is the
    sum over calls, waiting between tries included: with several at a time more than went by.
    """

    calls: int = 0
    cache_hits: int = 0
    retries: int = 0
    estimated: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    money: float = 0.0

    @property
    def tokens(self) -> int:
        """Tokens of prompts and answers together."""
        return self.prompt_tokens + self.completion_tokens

    def add(self, other: Tally) -> None:
        """Add another tally to this one."""
        self.calls += other.calls
        self.cache_hits += other.cache_hits
        self.retries += other.retries
        self.estimated += other.estimated
        self.prompt_tokens += other.prompt_tokens
        self.completion_tokens += other.completion_tokens
        self.seconds += other.seconds
        self.money += other.money


@dataclass(slots=True)
class _Record:
    """What one record took so far, by stage."""

    accounts: Accounts
    calls: Counter[str] = field(default_factory=Counter)
    tokens: Counter[str] = field(default_factory=Counter)


_record: ContextVar[_Record | None] = ContextVar("record", default=None)
"""One for all `Accounts`: tasks and threads inherit it, so that records at once do not mix."""


class Accounts:
    """Keep the books of one run. May be used from several threads and event loops."""

    def __init__(self, price: Price | None = None) -> None:
        """Without a `price`, nothing is known about money."""
        self.price = price
        self._lock = threading.Lock()
        self._stages: defaultdict[str, Tally] = defaultdict(Tally)
        self._total = Tally()
        self._records = 0
        self._record_calls: defaultdict[str, Counter[int]] = defaultdict(Counter)
        self._record_tokens: defaultdict[str, Counter[int]] = defaultdict(Counter)

    @contextmanager
    def record(self) -> Iterator[None]:
        """Count what is asked inside, child tasks included, as one record's.

        What is asked outside of any record counts in the totals only. A record that fails counts.
        """
        record = _Record(self)
        token = _record.set(record)
        try:
            yield
        finally:
            _record.reset(token)
            self._close(record)

    def add(
        self,
        stage: str,
        *,
        calls: int = 0,
        cache_hits: int = 0,
        retries: int = 0,
        usage: TokenUsage | None = None,
        estimated: bool = False,
        seconds: float = 0.0,
    ) -> None:
        """Enter what happened at a stage."""
        stage = stage or _UNNAMED
        usage = usage or TokenUsage()
        money = self.price.of(usage) if self.price else 0.0
        tally = Tally(calls, cache_hits, retries, int(estimated), usage.prompt_tokens,
                      usage.completion_tokens, seconds, money)  # fmt: skip
        record = _record.get()
        with self._lock:
            self._stages[stage].add(tally)
            self._total.add(tally)
            if record is not None and record.accounts is self:
                for key in (_ALL, stage):
                    record.calls[key] += calls
                    record.tokens[key] += tally.tokens

    @property
    def total(self) -> Tally:
        """The sum over all stages so far."""
        with self._lock:
            return replace(self._total)

    def snapshot(self) -> dict[str, Any]:
        """Return the figures for a report: counts only, nothing that was asked or answered.

        `per_record` holds medians over the records so far, those with no call at a stage included.
        """
        total = self.total
        with self._lock:
            stages = {name: self._figures(name, t) for name, t in sorted(self._stages.items())}
            return {**self._figures(_ALL, total), "records": self._records, "stages": stages}

    def line(self) -> str:
        """Return one short line for a terminal."""
        total = self.total
        parts = [_counted(total.calls, "call"), f"{_short(total.tokens)} tokens"]
        if self.price:
            parts.append(f"${total.money:,.2f}")
        with self._lock:
            counts = self._record_calls[_ALL]
            if self._records:
                parts.append(f"{_sum(counts) / self._records:.1f} calls a record")
        if total.cache_hits:
            parts.append(f"{total.cache_hits:,} from the cache")
        if total.retries:
            parts.append(_counted(total.retries, "retry", "retries"))
        return ", ".join(parts)

    def _close(self, record: _Record) -> None:
        with self._lock:
            self._records += 1
            for stage in {_ALL, *record.calls}:
                self._record_calls[stage][record.calls[stage]] += 1
                self._record_tokens[stage][record.tokens[stage]] += 1

    def _figures(self, stage: str, tally: Tally) -> dict[str, Any]:
        figures: dict[str, Any] = {
            each.name: getattr(tally, each.name)
            for each in fields(tally)
            if each.name not in {"seconds", "money"}
        }
        figures["seconds"] = round(tally.seconds, 2)
        figures["money"] = round(tally.money, 6) if self.price else None
        figures["per_record"] = {
            "calls": _median(self._record_calls.get(stage, {}), self._records),
            "tokens": _median(self._record_tokens.get(stage, {}), self._records),
        }
        return figures


def _median(counts: Mapping[int, int], records: int) -> float | None:
    """Return the median of values with their frequencies; records that are missing count as 0."""
    if not records:
        return None
    filled = Counter(counts)
    filled[0] += records - filled.total()
    seen, low, high = 0, None, None
    for value in sorted(filled):
        seen += filled[value]
        if low is None and seen >= (records + 1) // 2:
            low = value
        if high is None and seen >= records // 2 + 1:
            high = value
    return ((low or 0) + (high or 0)) / 2


def _sum(counts: Mapping[int, int]) -> int:
    return sum(value * times for value, times in counts.items())


def _counted(count: int, one: str, many: str | None = None) -> str:
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def _short(count: int) -> str:
    """Write 1,900,000 as `1.9 M`."""
    for size, letter in ((1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k")):
        if count >= size:
            return f"{count / size:.1f} {letter}"
    return str(count)
