"""Answers with stored vectors of sentences equal those without, and embed no sentence."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from sage_rag.indexer.assembly import Assembly
from sage_rag.indexer.embedding import CachedEmbedder, sentence_key
from sage_rag.indexer.passages import CONSENSUS, Passage
from sage_rag.indexer.publishing import publish
from sage_rag.indexer.sentences import sentence_views
from sage_rag.indexer.testing import HashEmbedder
from sage_rag.rag_server.answering.extractive import ExtractiveAnswerer
from sage_rag.rag_server.answering.protocols import AnswerContext
from sage_rag.rag_server.catalog import FolderCatalog
from sage_rag.rag_server.corpora import CorpusSearch

ADVICE = {
    "My knee hurts after running.": "Rest the knee for a week. Ice helps against swelling. "
    "Do not run on it.",
    "I burned my hand on a kettle.": "Cool the burn under water for twenty minutes. "
    "Do not use ice. Cover it with a clean cloth.",
    "I have had a cough for three weeks.": "A cough of three weeks should be examined. "
    "Drink warm tea. Do not smoke.",
    "The light hurts my eyes in a migraine.": "Keep a diary of each migraine. "
    "Magnesium at night prevents some of them.",
}


def published(home: Path) -> None:
    embedder, content = HashEmbedder(), Assembly()
    for number, (asked, answer) in enumerate(ADVICE.items()):
        content.add(Passage(f"p{number}", f"s{number}", {"asked": asked, "answer": answer}))
    views = [sentence_views(passage, ()) for passage in content.passages]
    manifest = {
        **{"corpus": "clinic", "recipe": "origin", "protection": "none", "policy": None},
        **{"agents": None, "embedder": embedder.name, "key_ids": ()},
        "counts": {"passages": len(ADVICE)},
    }
    publish(
        home,
        "clinic",
        content.passages,
        embedder.embed([passage.text for passage in content.passages]),
        lexical=content.lexical,
        manifest=manifest,
        report={},
        sentences=[dict(zip(own, embedder.embed(own), strict=True)) for own in views],
    )


def test_answers_are_equal_and_no_sentence_is_embedded(tmp_path: Path) -> None:
    published(tmp_path)
    embedder = HashEmbedder()
    corpora = CorpusSearch(FolderCatalog(tmp_path), CachedEmbedder(embedder))
    answerer = ExtractiveAnswerer(CachedEmbedder(embedder))
    answers = set()
    for question in (
        *ADVICE,
        "What helps against a burn?",
        "What should a runner with a cough do?",
    ):
        found = corpora.search("clinic", question, 3)
        assert found.sentence_vectors
        context = AnswerContext(
            question,
            found.passages,
            evidence=found.evidence,
            sentence_vectors=found.sentence_vectors,
        )
        before = embedder.embedded
        answer = answerer.compose(context)
        assert embedder.embedded <= before + 1  # the question
        fresh = ExtractiveAnswerer(embedder).compose(replace(context, sentence_vectors={}))
        assert answer == fresh
        answers.add(answer)
    corpora.close()
    assert len(answers) >= len(ADVICE)


def test_a_consensus_answer_embeds_the_question_alone() -> None:
    text = "Often: rest the knee.\nAlso cool it: ice helps.\nTopics: knee, ice"
    passage = Passage("p1", "s1", {"text": text}, layer=CONSENSUS)
    views = sentence_views(passage, ())
    stored = HashEmbedder().embed(views)
    known = {sentence_key(view): vector for view, vector in zip(views, stored, strict=True)}
    embedder = HashEmbedder()
    context = AnswerContext("What helps the knee?", [passage], sentence_vectors=known)
    answer = ExtractiveAnswerer(embedder).compose(context)
    assert embedder.embedded == 1
    assert "rest the knee" in answer.casefold()
    assert answer == ExtractiveAnswerer(embedder).compose(replace(context, sentence_vectors={}))
