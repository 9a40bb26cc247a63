"""What calls of a model cost: calls, tokens, time and money, by stage and by record."""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, fields, replace
from statistics import median
from typing import Any

from sage_rag.agents.chat.protocols import TokenUsage
from sage_rag.common.counting import counted

_MILLION = 1_000_000
_ALL = ""
_UNNAMED = "other"


@dataclass(frozen=True, slots=True)
class Price:
    """The price of a million tokens, in the currency of budgets and reports."""

    prompt_per_million: float
    completion_per_million: float

    def of(self, usage: TokenUsage) -> float:
        """Return the list price of a call; discounts for cached prefixes are unknown."""
        prompt = usage.prompt_tokens * self.prompt_per_million
        return (prompt + usage.completion_tokens * self.completion_per_million) / _MILLION


@dataclass(slots=True)
class StageCosts:
    """Counts of one stage, or of all stages.

    `calls` were answered by the model, `cache_hits` by the cache. `estimated` counts the calls
    whose tokens the server did not report; they are estimated from the text. `seconds` is the sum
    over calls, pauses between tries included: more than the time that passed if calls overlap.
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

    @property
    def usage(self) -> TokenUsage:
        """Tokens of prompts and of answers."""
        return TokenUsage(self.prompt_tokens, self.completion_tokens)

    def add(self, other: StageCosts) -> None:
        """Add the counts of another one to this one."""
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))


@dataclass(slots=True)
class _RecordCosts:
    """Calls and tokens of the current record, by stage."""

    costs: CallCosts
    calls: Counter[str] = field(default_factory=Counter)
    tokens: Counter[str] = field(default_factory=Counter)


_record: ContextVar[_RecordCosts | None] = ContextVar("record", default=None)
"""Tasks and threads inherit it, so that concurrent records do not mix."""


class CallCosts:
    """Count the costs of one run. May be used from several threads and event loops."""

    def __init__(self, price: Price | None = None) -> None:
        """Without a `price`, no money is counted."""
        self.price = price
        self._lock = threading.Lock()
        self._stages: defaultdict[str, StageCosts] = defaultdict(StageCosts)
        self._total = StageCosts()
        self._records = 0
        # One number for each record that asked at the stage.
        self._record_calls: defaultdict[str, list[int]] = defaultdict(list)
        self._record_tokens: defaultdict[str, list[int]] = defaultdict(list)

    @contextmanager
    def record(self) -> Iterator[None]:
        """Count the calls made inside, child tasks included, as those of one record.

        A record that fails counts too. Calls outside of any record count in the totals only.
        """
        record = _RecordCosts(self)
        token = _record.set(record)
        try:
            yield
        finally:
            _record.reset(token)
            with self._lock:
                self._records += 1
                for stage in record.calls:
                    self._record_calls[stage].append(record.calls[stage])
                    self._record_tokens[stage].append(record.tokens[stage])

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
        """Count events of a stage."""
        stage = stage or _UNNAMED
        usage = usage or TokenUsage()
        added = StageCosts(calls, cache_hits, retries, int(estimated), usage.prompt_tokens,
                           usage.completion_tokens, seconds)  # fmt: skip
        record = _record.get()
        with self._lock:
            for counts in (self._stages[stage], self._total):
                counts.add(added)
                if self.price:  # of the token counts: a sum of prices depends on the order of calls
                    counts.money = self.price.of(counts.usage)
            if record is not None and record.costs is self:
                for key in (_ALL, stage):
                    record.calls[key] += calls
                    record.tokens[key] += added.tokens

    @property
    def total(self) -> StageCosts:
        """The sum over all stages so far."""
        with self._lock:
            return replace(self._total)

    def snapshot(self) -> dict[str, Any]:
        """Return the figures for a report: counts only, no prompt and no answer.

        `per_record` holds medians over the records so far, those without a call included.
        """
        with self._lock:
            stages = {name: self._figures(name, s) for name, s in sorted(self._stages.items())}
            total = self._figures(_ALL, self._total)
            return {**total, "records": self._records, "stages": stages}

    def line(self) -> str:
        """Return one short line for a terminal."""
        total = self.total
        parts = [counted(total.calls, "call"), f"{_short(total.tokens)} tokens"]
        if self.price:
            parts.append(f"${total.money:,.2f}")
        with self._lock:
            if self._records:
                calls = sum(self._record_calls[_ALL]) / self._records
                parts.append(f"{calls:.1f} calls a record")
        if total.cache_hits:
            parts.append(f"{total.cache_hits:,} from the cache")
        if total.retries:
            parts.append(counted(total.retries, "retry", "retries"))
        return ", ".join(parts)

    def _figures(self, stage: str, costs: StageCosts) -> dict[str, Any]:
        figures: dict[str, Any] = {each.name: getattr(costs, each.name) for each in fields(costs)}
        figures["seconds"] = round(costs.seconds, 2)
        figures["money"] = round(costs.money, 6) if self.price else None
        figures["per_record"] = {
            "calls": self._median(self._record_calls[stage]),
            "tokens": self._median(self._record_tokens[stage]),
        }
        return figures

    def _median(self, counts: list[int]) -> float | None:
        """Return the median; records without a call at the stage count as 0."""
        missing = self._records - len(counts)
        return float(median([*counts, *[0] * missing])) if self._records else None


def _short(count: int) -> str:
    """Write 1,900,000 as `1.9 M`."""
    for size, letter in ((1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k")):
        if count >= size:
            return f"{count / size:.1f} {letter}"
    return str(count)
