"""Gate and attack count the same words, runs and similarities."""

from hypothesis import example, given
from hypothesis import strategies as st

from sage_rag.eval.detectors.repeat import RepeatDetector
from sage_rag.eval.detectors.rouge import RougeDetector
from sage_rag.eval.detectors.runs import SharedRunFinder
from sage_rag.eval.originals import Originals
from sage_rag.eval.probes.probe import Probe, ProbeKind
from sage_rag.privacy.ciphers.siv import SivCipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.gate.findings import FindingKind
from sage_rag.privacy.gate.gate import Gate
from sage_rag.privacy.gate.leakage import Original
from sage_rag.privacy.gate.limits import GateLimits
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.policy import preset
from sage_rag.privacy.protect import Protector, seal
from sage_rag.privacy.testing import TableRecognizer

PROBE = Probe("p", ProbeKind.UNTARGETED, "prompt")
PROTECTOR = Protector(
    TableRecognizer({"Ada": EntityType.PERSON}),
    preset("sage"),
    SivCipher(Keyset.generate(), "clinic"),
)
GATE = Gate(GateLimits(), TableRecognizer({}))
WORDS = st.sampled_from(["a", "b", "c's", "d_e", "Ä", "头疼", "2.5"])
ORIGINALS = st.lists(WORDS | st.just("Ada"), min_size=1, max_size=24).map(" ".join)
DRAFTS = st.lists(WORDS | st.just("[PERSON_1]"), max_size=24)
GLUE = st.sampled_from([" ", "\n", ". ", ""])


@given(ORIGINALS, DRAFTS, GLUE)
@example("a b c d", ["a", "b", "x", "y"], " ")  # F is exactly 0.5
@example("a b c d e f g", ["a", "b", "c", "x", "y"], " ")
@example("a b c d e f g h i j Ada", ["[PERSON_1]", "a b c d e f g h i j"], "")
@example("Ada person_1 a b c d e f g h i", ["[PERSON_1]", "a b c d e f g h i"], " ")
def test_gate_and_attack_agree_on_any_pair(original, pieces, glue):
    protection = PROTECTOR.protect({"text": f"Ada {original}"})
    draft = glue.join(pieces)
    plain = Originals.of([("o", f"Ada {original}")])
    verdict = GATE.judge(Original(f"Ada {original}"), protection, draft)
    found = {finding.kind for finding in verdict.findings}

    sealed = seal(draft, protection.tokens)
    attacked = plain.texts[0].compare(sealed)
    assert attacked.longest_shared_run == verdict.longest_run
    assert attacked.rouge_l == verdict.rouge_l
    assert attacked.order_free == verdict.order_free

    repeated = list(RepeatDetector(SharedRunFinder(plain), 1).detect(sealed, PROBE))
    similar = list(RougeDetector(plain).detect(sealed, PROBE))
    assert bool(repeated) is (FindingKind.SHARED_RUN in found)
    assert bool(similar) is (FindingKind.SIMILARITY in found)
