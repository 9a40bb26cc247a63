"""The arms of the study: what each model reads before the public texts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sage_rag.training.cipher_pretraining.config import Carry, FirstStage, FirstStageSettings


@dataclass(frozen=True, slots=True)
class Arm:
    """One model. `title`: its name in the paper, or what it controls for.

    `tokens_of`: the arm whose first stage has as many tokens. `first_of`: the arm whose first stage
    is used, since only the carry differs.
    """

    name: str
    title: str
    kind: FirstStage
    key_length: int | None = None
    carry: Carry | None = None
    tokens_of: str | None = None
    first_of: str | None = None

    def first_stage(self, tokens: int | None, trained: Path | None) -> FirstStageSettings:
        """Return the settings of the first stage.

        `tokens`: those of the arm `tokens_of`. `trained`: the folder of the arm `first_of`.
        """
        return FirstStageSettings(
            kind=self.kind,
            key_length=self.key_length,
            tokens=tokens,
            carry=self.carry,
            trained=trained,
        )


def _cipher(length: int) -> Arm:
    title = f"Crypto-LLM Key{length}"
    return Arm(f"key-{length}", title, FirstStage.CIPHER, length, Carry.BODY)


CPT = Arm("cpt", "Plain-LLM CPT", FirstStage.ABSENT)
PLAIN = Arm("plain", "Plain-LLM PT+CPT", FirstStage.PLAIN)
KEY_1, KEY_10, KEY_100 = _cipher(1), _cipher(10), _cipher(100)
SCRUBBED = Arm("scrubbed", "Scrubbing-LLM", FirstStage.SCRUBBED)
SHUFFLED = Arm(
    "key-10-shuffled", "control: shuffled ciphertext", FirstStage.SHUFFLED, 10, Carry.BODY
)
DYCK = Arm("dyck", "control: 64-Shuffle-Dyck", FirstStage.DYCK, None, Carry.BODY, KEY_10.name)
KEY_1_WHOLE = Arm(
    "key-1-whole", "Key1, carry whole", FirstStage.CIPHER, 1, Carry.WHOLE, first_of=KEY_1.name
)
KEY_10_WHOLE = Arm(
    "key-10-whole", "Key10, carry whole", FirstStage.CIPHER, 10, Carry.WHOLE, first_of=KEY_10.name
)
ARMS = {
    arm.name: arm
    for arm in (
        *(CPT, PLAIN, KEY_1, KEY_10, DYCK, SHUFFLED, KEY_100, SCRUBBED),
        *(KEY_1_WHOLE, KEY_10_WHOLE),
    )
}
"""In the order in which they are trained: an arm after those that it takes something from."""
CONTROLS = (SHUFFLED, DYCK)
ATTACKED = (PLAIN, SCRUBBED, KEY_1, KEY_10, KEY_100, CPT)
"""The models of the paper's Table 4."""
