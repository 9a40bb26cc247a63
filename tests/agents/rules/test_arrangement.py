from sage_rag.agents.protocols import Attribute
from sage_rag.agents.rules.arrangement import ALIKE, arrange, asks
from sage_rag.agents.rules.presets import bound
from sage_rag.privacy.gate.leakage import Original

MEDICAL = {a.name: a for a in bound("medical_dialogue", ("question", "answer"))}
PERSON, SYMPTOMS, CONCERN = MEDICAL["circumstances"], MEDICAL["symptoms"], MEDICAL["concern"]
FOUND = {
    PERSON: (
        "I am a baker with flour on every shelf.",
        "My two boys help in the shop at weekends.",
    ),
    SYMPTOMS: ("Since spring both wrists swell before noon.", "Cold water brings some ease."),
    CONCERN: ("Could this come from kneading dough?",),
}


def one_field(found):
    items = tuple(item for block in found.values() for item in block)
    source = Original(" ".join(items))
    return arrange({"question": found}, {"question": items}, source), source


def test_the_order_is_unlike_enough():
    placed, source = one_field(FOUND)
    assert source.rouge_l(" ".join(item for _, item in placed)) <= ALIKE


def test_no_item_is_lost_or_changes_its_attribute():
    placed, _ = one_field(FOUND)
    assert sorted((a.name, item) for a, item in placed) == sorted(
        (a.name, item) for a, items in FOUND.items() for item in items
    )


def test_the_question_comes_first_or_last():
    placed, _ = one_field(FOUND)
    assert asks(placed[0][0]) or asks(placed[-1][0])


def test_the_same_record_gives_the_same_order():
    assert one_field(FOUND)[0] == one_field(FOUND)[0]


def test_a_field_can_have_more_attributes_than_can_be_ordered_in_every_way():
    many = {
        Attribute(f"part {n}", "question", f"Part {n}"): (f"One{n} two{n} three{n} four{n}.",)
        for n in range(12)
    }
    placed, source = one_field(many)
    assert {item for _, item in placed} == {item for items in many.values() for item in items}
    assert source.rouge_l(" ".join(item for _, item in placed)) <= ALIKE


def test_a_field_without_items_has_no_places():
    assert arrange({"question": {}}, {"question": ()}, Original("Hello.")) == []
