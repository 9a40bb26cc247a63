from sage_rag.common.proportions import Proportion
from sage_rag.eval.attack import WHOLE_INDEX
from sage_rag.eval.report import AttackReport, Group, Measure
from sage_rag.eval.studies.controlled.recipe_tables import recipe_tables
from sage_rag.eval.studies.controlled.results import RecipeResult
from tests.eval.studies.controlled.test_study import result


def group(name: str, **pieces: int) -> Group:
    measures = tuple(
        Measure(
            detector=detector,
            prompts=Proportion.of(found, 10),
            pieces=found,
            of=30,
            unit="originals",
            probes=(),
        )
        for detector, found in pieces.items()
    )
    return Group(name=name, attempts=10, failed=0, measures=measures)


def indexed(name: str, seed: int, leaked: int) -> RecipeResult:
    groups = (
        group("targeted", repeat=leaked, rouge=leaked),
        group("untargeted", repeat=leaked, rouge=leaked),
        group(WHOLE_INDEX, repeat=leaked, rouge=leaked, canaries=leaked),
    )
    attack = AttackReport(target="t", worst_case=True, top_k=1, originals=30, groups=groups)
    report = result("icl", "ICL", seed, leaked).report
    return RecipeResult(name=name, seed=seed, published=9, records=10, attack=attack, report=report)


def test_generated_corpora_stand_next_to_the_recipes_and_name_their_seeds() -> None:
    found = [indexed("controlled", seed, 0) for seed in (1, 0)] + [indexed("origin", 0, 10)]
    lines = [line for line in recipe_tables(found).splitlines() if line.startswith("| `")]
    assert [line.split(" | ")[0] for line in lines[:3]] == [
        "| `origin`",
        "| `controlled`, seed 0",
        "| `controlled`, seed 1",
    ]
    whole, prompts = "10 of 30 | 10 of 30 | 10 of 30", "10 of 10 (74.1–100.0 %)"
    assert lines[0] == f"| `origin` | 9 | {whole} | {prompts} | {prompts} | 10 of 30 |"
    assert lines[1].count("| 0 of 30") == 4
    assert lines[3].startswith("| `origin` | 9 of 10 | 10 of 20")
