"""Record what every stage returns now: python -m tests.golden.record"""

from __future__ import annotations

import json

from tests.golden.stages import RECORDED, STAGES


def record() -> None:
    """Write `stages.json`."""
    outputs = {name: stage.run() for name, stage in STAGES.items()}
    recorded = {
        name: {"fingerprint": output.fingerprint, "digest": output.digest}
        for name, output in outputs.items()
    }
    RECORDED.write_text(json.dumps(recorded, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    record()
