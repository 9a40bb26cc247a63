"""Telling languages apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.privacy.gate.language import language_of
from sage_rag.privacy.words import tokenize

ENGLISH = (
    "The knee has been swollen for a week and it is not better, so what should she do about it?"
)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (ENGLISH, "en"),
        ("Das Knie ist seit einer Woche dick und es wird nicht besser, was kann sie noch tun?", "de"),
        ("Le genou est gonflé depuis une semaine et ce n'est pas mieux, que peut elle faire ?", "fr"),
        ("La rodilla está hinchada desde hace una semana y no mejora, qué puede hacer con esto", "es"),
        ("Il ginocchio è gonfio da una settimana e non va meglio, che cosa si può fare per questo", "it"),
        ("O joelho está inchado há uma semana e não melhora, o que se pode fazer com isso", "pt"),
        ("De knie is al een week dik en het wordt niet beter, wat kan zij er nog aan doen", "nl"),
        ("Knät är svullet sedan en vecka och det blir inte bättre, vad kan hon göra med det", "sv"),
        ("Kolano jest spuchnięte od tygodnia i nie jest lepiej, czy może coś z tym zrobić", "pl"),
        ("Diz bir haftadır şiş ve daha iyi olmadı, bunun için ne yapabilir, çok ağrı var", "tr"),
        ("膝盖肿了一个星期，还没有好转，她该怎么办？", "han"),
        ("膝が一週間腫れていて、良くなりません。どうすればいいですか。", "kana"),
        ("診断は高血圧症と糖尿病で、治療は継続中である", "kana"),
        ("Колено опухло неделю назад и не проходит, что ей теперь делать?", "cyrillic"),
        ("무릎이 일주일 동안 부어 있고 나아지지 않습니다. 어떻게 해야 하나요?", "hangul"),
        ("Το γόνατο είναι πρησμένο εδώ και μια εβδομάδα, τι πρέπει να κάνει;", "greek"),
        ("الركبة متورمة منذ أسبوع ولا تتحسن ماذا يجب أن تفعل الآن", "arabic"),
    ],
)  # fmt: skip
def test_languages_are_told_apart(text: str, language: str) -> None:
    assert language_of(tokenize(text)) == language


@pytest.mark.parametrize(
    "text",
    [
        "",
        "the knee and it is",
        "Metformin 500 mg, lisinopril 10 mg, aspirin 81 mg, atorvastatin 20 mg, insulin 8 units",
        "swollen knee, left; clicking; three weeks; worse evenings; ice no help; limping, bruised",
        "The knee is not better and it hurts. Das Knie ist nicht besser und tut ihr auch weh.",
        "Metformin and lisinopril, aspirin, atorvastatin, insulin, ramipril, bisoprolol, "
        "torasemide, amlodipine, pantoprazole, ibuprofen, paracetamol, tramadol, diazepam, codeine, "
        "morphine, fentanyl, ketamine, propofol, heparin, warfarin, digoxin, verapamil, diltiazem, "
        "nifedipine, captopril, enalapril, losartan, valsartan, and candesartan",
        "4471 902 11 23 45 67 89 10 11 12 13 14",
    ],
)
def test_what_cannot_be_told_is_said_to_be_unknown(text: str) -> None:
    assert language_of(tokenize(text)) is None


@pytest.mark.parametrize(
    "added",
    ["Er sagte: Das ist nicht gut und ich bin müde.", "诊断：膝盖肿胀", "cauda equina in situ per os ad usum"],
)  # fmt: skip
def test_a_foreign_sentence_does_not_change_an_english_text(added: str) -> None:
    assert language_of(tokenize(f"{ENGLISH} {ENGLISH} {ENGLISH} {added}")) in ("en", None)


@given(st.text(max_size=200))
def test_any_text_has_one_language_or_none(text: str) -> None:
    language_of(tokenize(text))


@given(st.permutations(tokenize(ENGLISH)))
def test_order_of_words_does_not_matter(tokens: list[str]) -> None:
    assert language_of(tokens) == "en"
