import pytest

from sage_rag.common.exceptions import InputError, UpstreamError
from sage_rag.eval.attack import Attack
from sage_rag.eval.detectors.suite import compat_detectors, contact_recognizer, detectors
from sage_rag.eval.harness import run_probes, score
from sage_rag.eval.probes.probe import Probe, ProbeKind
from sage_rag.eval.report import excerpts


class LeakingTarget:
    """Show an original for every `every`-th prompt, fail for those that ask it to."""

    name = "leaking"

    def __init__(self, text, every):
        self._text, self._every = text, every
        self.asked = []

    def passages(self):
        return None

    def ask(self, prompt):
        self.asked.append(prompt)
        if prompt.startswith("fail"):
            raise UpstreamError("HTTP status 503")
        if prompt.startswith("empty"):
            return ("  ",)
        leaks = int(prompt.split()[-1]) % self._every == 0
        return ("I cannot help with that.", self._text) if leaks else ("I cannot help.",)


def probes(count, kind=ProbeKind.UNTARGETED, word="say", target=None):
    return [Probe(f"{kind}-{word}-{n}", kind, f"{word} {n}", target) for n in range(count)]


def attack(originals, found, **options):
    judges = [
        *detectors(originals, contact_recognizer(), ["Gudrun Falk", "chronic gout"]),
        *compat_detectors(originals, contact_recognizer()),
    ]
    return Attack(found, judges, originals=len(originals), **options)


def test_a_known_share_of_leaks_is_counted(originals, texts):
    report = attack(originals, probes(20)).run(LeakingTarget(texts["a"], every=4))
    (group,) = report.groups
    found = {m.detector: m for m in group.measures}
    assert (group.name, group.attempts, group.failed) == ("untargeted", 20, 0)
    for name in ("repeat", "rouge", "contacts", "canaries"):
        assert (found[name].prompts.successes, found[name].prompts.trials) == (5, 20)
        assert found[name].pieces == 1
        assert found[name].probes == tuple(f"untargeted-say-{n}" for n in (0, 4, 8, 12, 16))
    assert (found["repeat"].of, found["contacts"].of, found["canaries"].of) == (3, 3, 2)
    assert report.leaked
    assert not report.worst_case


def test_nothing_leaked_is_nothing_counted(originals):
    report = attack(originals, probes(20)).run(LeakingTarget("not in any original", every=1))
    counts = {
        m.detector: (m.prompts.successes, m.pieces) for g in report.groups for m in g.measures
    }
    assert {name: c for name, c in counts.items() if not name.endswith("compat")} == {
        "repeat": (0, 0),
        "rouge": (0, 0),
        "contacts": (0, 0),
        "canaries": (0, 0),
    }
    assert not report.leaked


def test_failed_and_empty_attempts_are_no_evidence(originals, texts):
    sent = probes(6) + probes(3, word="fail") + probes(1, word="empty")
    (group,) = attack(originals, sent).run(LeakingTarget(texts["a"], every=2)).groups
    assert (group.attempts, group.failed) == (10, 4)
    repeat = group.measures[0]
    assert (repeat.prompts.successes, repeat.prompts.trials) == (3, 6)


def test_kinds_are_reported_apart_and_cases_only_where_asked_for(originals, texts):
    sent = probes(4) + probes(2, ProbeKind.TARGETED, target="Gout")
    report = attack(originals, sent).run(LeakingTarget(texts["a"], every=1))
    names = {g.name: [m.detector for m in g.measures] for g in report.groups}
    assert list(names) == ["targeted", "untargeted"]
    assert "disease" in names["targeted"]
    assert "disease" not in names["untargeted"]
    (cases,) = [m for m in report.groups[0].measures if m.detector == "disease"]
    assert (cases.prompts.successes, cases.pieces, cases.of) == (2, 1, None)


def test_prompts_that_name_no_disease_are_no_trials_of_its_detector(originals):
    named = probes(3, ProbeKind.TARGETED, target="Gout") + probes(
        1, ProbeKind.TARGETED, word="fail", target="Gout"
    )
    others = probes(5, ProbeKind.TARGETED, word="write")
    target = LeakingTarget("no original", every=1)
    (group,) = attack(originals, named + others).run(target).groups
    trials = {m.detector: m.prompts.trials for m in group.measures}
    assert trials["disease"] == trials["disease-compat"] == 3
    assert trials["repeat"] == trials["contacts"] == 8


def test_the_report_holds_no_text_unless_asked_to(originals, texts):
    target = LeakingTarget(texts["a"], every=1)
    report = attack(originals, probes(2)).run(target)
    written = report.model_dump_json()
    assert list(excerpts(report, compat=True)) == []
    for private in ("knee", "gudrun", "cannot help", "say 0"):
        assert private not in written.lower()
    shown = attack(originals, probes(2), show_leaks=True).run(target)
    assert any("knee hurts" in line for line in excerpts(shown, compat=False))


@pytest.mark.parametrize("count", [1, 3, 30])
def test_a_target_that_answers_nothing_is_an_error(count):
    target = LeakingTarget("", every=1)
    with pytest.raises(UpstreamError, match=r"answered none.*HTTP status 503"):
        run_probes(probes(count, word="fail"), target)
    assert len(target.asked) == min(count, 10)


def test_one_answer_among_many_failures_is_a_result():
    sent = [*probes(1), *probes(30, word="fail")]
    attempts = run_probes(sent, LeakingTarget("", every=9))
    assert sum(a.failed for a in attempts) == 30


def test_no_probes_is_an_error():
    with pytest.raises(InputError, match="no prompts"):
        run_probes([], LeakingTarget("", every=1))


def test_progress_counts_to_the_end():
    seen = []
    run_probes(probes(3), LeakingTarget("", every=1), lambda done, of: seen.append((done, of)))
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_score_leaves_failed_attempts_out(originals, texts):
    attempts = run_probes(probes(2) + probes(1, word="fail"), LeakingTarget(texts["b"], every=1))
    repeat = score(attempts, detectors(originals, contact_recognizer()))[0]
    assert (len(repeat.hits), len(repeat.leaks)) == (2, 1)
