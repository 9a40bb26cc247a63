"""Pretrain a model on ciphertext, then continue on plain text.

    sage-rag train cipher --config crypto_llm_3m.toml
    torchrun --nproc-per-node 8 --no-python sage-rag train cipher --config crypto_llm_551m.toml

Source: Kobashi et al., Crypto-LLM, §4.1 and Figure 2. Differs: what is carried between the stages
is a setting; the paper does not state it.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from sage_rag.common.exceptions import InputError
from sage_rag.common.files import locked, reading, write_file
from sage_rag.training.cipher_pretraining.carry import write_carried_model
from sage_rag.training.cipher_pretraining.config import (
    OWN_VOCABULARY,
    CipherPretrainingConfig,
    FirstStage,
)
from sage_rag.training.cipher_pretraining.sources import sources_digest
from sage_rag.training.cipher_pretraining.stage_texts import StageTexts
from sage_rag.training.pretraining.config import DataSettings, ModelSettings, PretrainingConfig
from sage_rag.training.pretraining.loop import Observer, pretrain
from sage_rag.training.pretraining.metrics import StepMeasurement
from sage_rag.training.pretraining.processes import Processes, joined_processes
from sage_rag.training.pretraining.run_folder import failed_writes
from sage_rag.training.pretraining.tokenizing import load_tokenizer

StageProgress = Callable[[str, int, int, StepMeasurement], None]
"""Receives the stage's name, its steps done, all its steps, and the last step's measurements."""
FIRST, SECOND, CARRIED = "first", "second", "carried"
"""Folders in `out`: the run of each stage, and the model between them."""
_RECORD = "settings.json"
_STEPS = ("size", "optimization")
"""Sections that do not change texts and tokenizers."""
_SOURCES = "sources"
"""Key of the record that holds the digest of the texts."""


def pretrain_in_two_stages(
    config: CipherPretrainingConfig,
    *,
    progress: StageProgress | None = None,
    observe: Observer | None = None,
) -> Path:
    """Train both stages, and return the folder of the exported model.

    A training that was killed continues with the same call. `observe` receives the model of the
    second stage after each step.

    Raises:
        InputError: when settings and texts do not fit together, the folder belongs to a training
            of other settings or to one that runs, or the disk is full.
    """
    shown = progress or (lambda stage, done, steps, last: None)
    texts = StageTexts(config)
    with (
        failed_writes(config.out),
        joined_processes(config.hardware.device) as processes,
        _claimed_folder(config, processes),
    ):
        _once(processes, lambda: _prepare(config, texts))
        start = ModelSettings(start="random", size=config.size)
        if config.first_stage.kind is not FirstStage.ABSENT:
            first = _trained_before(config) or pretrain(
                _stage(config, FIRST, start, (texts.first,), texts.first_tokenizer, "text"),
                progress=lambda *step: shown(FIRST, *step),
            )
            _once(processes, lambda: _carry(config, texts, first))
            start = ModelSettings(start="weights", path=_second_start(config, first))
        field = config.texts.field if config.texts.public else "text"
        return pretrain(
            _stage(config, SECOND, start, texts.second, texts.plain_tokenizer, field),
            progress=lambda *step: shown(SECOND, *step),
            observe=observe,
        )


@contextmanager
def _claimed_folder(config: CipherPretrainingConfig, processes: Processes) -> Iterator[None]:
    """Hold the folder of the training in the first process."""
    with ExitStack() as held:
        if processes.first:
            config.out.mkdir(mode=0o700, parents=True, exist_ok=True)
            try:
                held.enter_context(locked(config.out / ".lock", create=True))
            except BlockingIOError:
                raise InputError(f"another training is writing to `{config.out}`") from None
        yield


def _prepare(config: CipherPretrainingConfig, texts: StageTexts) -> None:
    _check_same(config)
    texts.prepare()


def _trained_before(config: CipherPretrainingConfig) -> Path | None:
    """Return the model of an earlier training's first stage, where the settings name one."""
    earlier = config.first_stage.trained
    if earlier is None:
        return None
    model = earlier / FIRST / "model"
    if not model.is_dir():
        raise InputError(f"`{earlier}` holds no complete first stage")
    own_public = bool(config.texts.public)
    before = _of_first_stage(_recorded(earlier / _RECORD), own_public=own_public)
    now = _of_first_stage(_settings(config), own_public=own_public)
    other = next((name for name in now if before[name] != now[name]), None)
    if other is not None:
        raise InputError(
            f"the first stage of `{earlier}` was trained with another `{other}`",
            hint="restore the setting, or leave out `first_stage.trained`",
        )
    return model


def _settings(config: CipherPretrainingConfig) -> dict[str, Any]:
    return config.model_dump(mode="json", exclude={"out", "hardware"})


def _of_first_stage(settings: dict[str, Any], *, own_public: bool) -> dict[str, Any]:
    """Return by name the settings that a first stage shares with the trainings that use it.

    `own_public`: whether public texts have files of their own. Those that are drawn from the
    sensitive texts have to be the same.
    """
    stage = settings.get("first_stage") or {}
    sections = ("size",) if own_public else ("size", "seed", "texts")
    shared = {f"first_stage.{key}": stage.get(key) for key in ("kind", "key_length", "tokens")}
    return shared | {name: settings.get(name) for name in sections}


def _carry(config: CipherPretrainingConfig, texts: StageTexts, first: Path) -> None:
    carry = config.first_stage.carry
    folder = _second_start(config, first)
    if carry is not None and not folder.exists():
        write_carried_model(
            first,
            load_tokenizer(texts.plain_tokenizer),
            carry,
            folder,
            kind=config.first_stage.kind,
            row_tokens=config.row_tokens,
            seed=config.seed,
        )


def _second_start(config: CipherPretrainingConfig, first: Path) -> Path:
    """Return the model that the second stage continues."""
    return config.out / CARRIED if config.first_stage.kind in OWN_VOCABULARY else first


def _stage(
    config: CipherPretrainingConfig,
    name: str,
    start: ModelSettings,
    corpus: tuple[Path, ...],
    tokenizer: Path,
    field: str,
) -> PretrainingConfig:
    return PretrainingConfig(
        out=config.out / name,
        seed=config.seed,
        model=start,
        data=DataSettings(
            corpus=corpus, field=field, tokenizer=tokenizer, row_tokens=config.row_tokens
        ),
        optimization=config.optimization,
        hardware=config.hardware,
    )


def _once(processes: Processes, work: Callable[[], None]) -> None:
    """Do work in the first process, while the others wait."""
    if processes.first:
        work()
    processes.wait()


def _check_same(config: CipherPretrainingConfig) -> None:
    """Record settings and texts of a training, or compare them with those of its first step.

    Before the first step both may change: what others have prepared is removed.
    """
    record = config.out / _RECORD
    now = _settings(config) | {_SOURCES: sources_digest(config.texts)}
    if record.exists():
        before = {_SOURCES: now[_SOURCES]} | _recorded(record)  # earlier versions had no digest
        changed = sorted(section for section in now if before.get(section) != now[section])
        if not changed:
            return
        if _has_begun(config.out):
            raise _changed(config.out, changed)
        prepared = () if set(changed) <= set(_STEPS) else ("texts", "tokenizers")
        for name in (FIRST, SECOND, CARRIED, *prepared):
            shutil.rmtree(config.out / name, ignore_errors=True)
    write_file(record, json.dumps(now, indent=1) + "\n")


def _changed(out: Path, changed: list[str]) -> InputError:
    if changed == [_SOURCES]:
        return InputError(
            f"the texts have changed since the training in `{out}` began",
            hint="set another `out`, or restore the texts to continue that training",
        )
    section = next(name for name in changed if name != _SOURCES)
    return InputError(
        f"`{out}` holds a training with another `{section}`",
        hint="set another `out`, or restore the setting to continue that training",
    )


def _recorded(record: Path) -> dict[str, Any]:
    with reading(record):
        try:
            found = json.loads(record.read_text("utf-8"))
        except json.JSONDecodeError:
            found = None
    if not isinstance(found, dict):
        raise InputError(f"`{record}` is damaged", hint="set another `out`")
    return found


def _has_begun(out: Path) -> bool:
    """Return whether a stage has taken a step, or has a checkpoint or a model."""
    runs = [out / FIRST, out / SECOND]
    if any((run / name).exists() for run in runs for name in ("checkpoints", "model")):
        return True
    measurements = (run / "measurements.jsonl" for run in runs)
    return any(file.exists() and file.stat().st_size for file in measurements)
