import json

import pytest
import torch
from safetensors import safe_open

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.chinese.network import ChineseNetwork, packed, unpacked
from sage_rag.privacy.recognizers.chinese.tagger import ChineseTagger
from sage_rag.privacy.recognizers.chinese.word_features import load_words
from sage_rag.training.recognition.chinese import facilities, names, place_names, places
from sage_rag.training.recognition.chinese.fit import ChineseSchedule, fit_chinese, labels_of
from sage_rag.training.recognition.chinese.gazetteer import (
    short_town_names,
    simplified,
    words_by_kind,
    write_words,
)
from sage_rag.training.recognition.chinese.generate import ANNOTATED, generate, generator_digest
from sage_rag.training.recognition.chinese.templates import TOPICS, sentence
from sage_rag.training.recognition.chinese.word_lists import lines
from sage_rag.training.recognition.generated.draw import Draw
from tools.build_chinese_words import lists, write

pytestmark = pytest.mark.slow


@pytest.mark.slow
def test_the_same_seed_gives_the_same_texts_and_another_gives_others():
    first, again = (list(generate(50, seed=3)) for _ in range(2))
    assert first == again
    assert first != list(generate(50, seed=4))


def test_spans_lie_in_order_in_their_texts_and_overlap_nothing():
    for example in generate(400, seed=1):
        assert example.text
        assert example.annotated == ANNOTATED
        end = 0
        for span in sorted(example.spans, key=lambda s: s.start):
            assert end <= span.start < span.end <= len(example.text)
            assert span.entity_type in ANNOTATED
            end = span.end


@pytest.mark.slow
def test_every_template_can_be_written_and_leaves_no_marks():
    draw = Draw(0)
    texts = [sentence(draw).text for _ in range(4000)]
    assert not [text for text in texts if set(text) & set("{}[]|<>")]


def test_there_are_many_different_templates():
    assert len({line for topic in TOPICS for line in lines(topic)}) >= 750


def test_texts_without_any_value_are_among_them():
    share = sum(not example.spans for example in generate(400, seed=2)) / 400
    assert 0.03 < share < 0.5


@pytest.mark.parametrize(
    "write",
    [
        names.full_name,
        names.chinese_name,
        names.foreign_name,
        names.nickname,
        names.titled_name,
        names.masked_name,
        names.player_name,
        names.latin_name,
        places.city,
        places.foreign_place,
        places.road,
        places.estate,
        places.district,
        places.village,
        places.address,
        places.crossing,
        places.region,
        place_names.estate_name,
        place_names.hamlet,
        facilities.facility,
        facilities.subway_stop,
        facilities.relative_place,
        facilities.tomb,
        places.wilderness,
    ],
)
def test_values_are_varied_and_never_empty(write):
    draw = Draw(5)
    values = [write(draw) for _ in range(300)]
    assert all(value.strip() == value and value for value in values)
    assert len(set(values)) > 100


def test_words_survive_the_file_and_the_file_is_always_the_same(tmp_path):
    path, again = tmp_path / "words.gz", tmp_path / "again.gz"
    write_words(path)
    write_words(again)
    assert path.read_bytes() == again.read_bytes()
    assert set(load_words(path)) == set().union(*words_by_kind().values())


def test_ordinary_words_are_no_places_and_districts_are_known_for_short():
    kinds = words_by_kind()
    assert not kinds["common"] & kinds["place"]
    assert {"海淀", "宜兴"} <= set(short_town_names()) <= kinds["place"]
    assert not {"自治", "开发"} & set(short_town_names())


@pytest.mark.parametrize(
    ("name", "expected"), [("丰城", True), ("豐城", False), ("広島", False), ("广岛", True)]
)
def test_only_simplified_characters_are_taken(name, expected):
    assert simplified(name) is expected


DICTIONARY = """走路 900 v
罕见词 3 n
王小丫 900 nr
画蛇添足 180 i
青石河 12 ns
满街 500 ns
说不清的长长地方县 9 ns
巴尔加 4 nrt
令人 900 nrt
東京 900 ns
A股 900 n
"""


def test_lists_take_frequent_words_named_places_and_names_by_sound(tmp_path):
    found = lists(DICTIONARY.splitlines())
    assert found == {
        "vocabulary": ["画蛇添足", "走路"],
        "place": ["青石河"],
        "transliterated": ["巴尔加"],
    }
    dictionary = tmp_path / "dict.txt"
    dictionary.write_text(DICTIONARY, "utf-8")
    write(dictionary, tmp_path)
    assert (tmp_path / "vocabulary.txt").read_text("utf-8").split() == found["vocabulary"]


def test_packed_weights_are_read_as_they_were_measured():
    torch.manual_seed(0)
    network = ChineseNetwork(30, 2)
    once = unpacked(packed(network))
    rows = network.characters.weight
    assert packed(network)["characters.weight"].dtype is torch.int8
    step = rows.abs().amax(1, keepdim=True) / 127
    assert ((once["characters.weight"] - rows).abs() <= 0.51 * step + 1e-4).all()
    network.load_state_dict(once)
    again = unpacked(packed(network))
    assert all(torch.allclose(once[name], again[name], atol=1e-4) for name in once)


def test_labels_begin_and_go_on():
    example = next(e for e in generate(50, seed=6) if e.spans and len(e.spans[0]) > 1)
    span = example.spans[0]
    column = [t for t in EntityType if t in ANNOTATED].index(span.entity_type)
    labels = labels_of(example)[:, column]
    assert labels[span.start] == 1
    assert (labels[span.start + 1 : span.end] == 2).all()


@pytest.mark.slow
def test_a_short_training_writes_weights_that_run(tmp_path):
    weights = tmp_path / "chinese.safetensors"
    schedule = ChineseSchedule(texts=1600, held_out=100)
    heard = []
    recall = fit_chinese(
        weights,
        seed=1,
        words=tmp_path / "words.gz",
        schedule=schedule,
        progress=lambda step, steps, loss: heard.append((step, steps, loss)),
    )
    assert set(recall) == {t.value for t in ANNOTATED}
    assert heard[-1][0] == heard[-1][1]
    assert heard[-1][2] < heard[0][2]
    with safe_open(weights, "pt") as file:
        settings = json.loads(file.metadata()["chinese_tagger"])
    assert settings["generator"] == generator_digest()
    assert settings["seed"] == 1
    ChineseTagger(weights).recognize("记者王小明在北京报道。")
