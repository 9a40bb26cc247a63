import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.chinese.tagger import WEIGHTS, ChineseTagger, decode_characters
from sage_rag.privacy.recognizers.chinese.word_features import (
    FEATURES,
    WORDS,
    features_of,
    load_words,
)

TAGGER = ChineseTagger()
PERSON, LOCATION, ORGANIZATION = (
    EntityType.PERSON,
    EntityType.LOCATION,
    EntityType.ORGANIZATION,
)


def covered(text, value):
    found = {i for span in TAGGER.recognize(text) for i in range(span.start, span.end)}
    start = text.index(value)
    return set(range(start, start + len(value))) <= found


FOUND = [
    ("记者采访了住在朝阳区的陈志远，他说最近很忙。", "陈志远"),
    ("昨天，欧阳雪梅在会上发言，表示完全同意。", "欧阳雪梅"),
    ("前锋马塞利诺头球破门，帮助球队逆转。", "马塞利诺"),
    ("导演卡洛斯·维埃拉的新片下月上映。", "卡洛斯·维埃拉"),
    ("老李昨天没有来上班。", "老李"),
    ("王女士打来电话咨询贷款利率。", "王女士"),
    ("被告人赵某某对指控供认不讳。", "赵某某"),
    ("患者林晓燕，女，四十三岁，因头痛入院。", "林晓燕"),
    ("寄到杭州市余杭区文一西路969号3幢201室。", "杭州市余杭区文一西路969号3幢201室"),
    ("他从成都坐火车去了乌鲁木齐。", "乌鲁木齐"),
    ("会议在日内瓦举行。", "日内瓦"),
    ("位于翠湖花园的房子已经卖掉了。", "翠湖花园"),
    ("他在上海星河科技有限公司工作了五年。", "上海星河科技有限公司"),
    ("工商银行今天宣布下调利率。", "工商银行"),
    ("我们周末去宜兴看了茶园。", "宜兴"),
    ("总决赛在滨河电竞馆举行。", "滨河电竞馆"),
    ("乘地铁到松涛路站2号出口，步行十分钟。", "松涛路站2号出口"),
    ("科考船驶过纳比里环礁，发现了新物种。", "纳比里环礁"),
    ("拆迁范围：东至云台路，西至柳家坞。", "柳家坞"),
    ("他从名古屋飞往函馆，再坐火车。", "函馆"),
    ("考古队在刘墉墓发现了一批玉器。", "刘墉墓"),
    ("欧洲南部今年夏天特别热。", "欧洲南部"),
]


@pytest.mark.parametrize(("text", "value"), FOUND)
def test_values_of_invented_sentences_are_covered(text, value):
    assert covered(text, value)


PLAIN = [
    "高兴地看到大家都来了，时间过得真快。",
    "马上开始准备，金额和方法都很明确。",
    "关键时刻，他站了出来。",
    "成功人士的标准是什么？",
    "万一下雨怎么办？",
    "方便面卖完了。",
    "请尽快提交材料，谢谢配合。",
    "雨下了整整一夜，空气非常清新。",
]


@pytest.mark.parametrize("text", PLAIN)
def test_words_that_begin_like_names_are_left_alone(text):
    assert not TAGGER.recognize(text)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Patient 王小明 was seen in room 302 next to the entrance.", "王小明"),
        ("Please ask 刘芳 about the contract of Helena Brandt.", "刘芳"),
    ],
)
def test_in_an_english_sentence_only_the_chinese_name_is_a_value(text, name):
    assert {text[s.start : s.end] for s in TAGGER.recognize(text)} == {name}


def test_a_latin_name_in_a_chinese_sentence_is_part_of_it():
    assert covered("记者昨天采访了住在朝阳区的Tim Cook先生，他说最近很忙。", "Tim Cook")


@pytest.mark.parametrize("text", ["", "   ", "Plain English only.", "Ça va, Müller?", "12345"])
def test_text_without_chinese_has_no_spans(text):
    assert list(TAGGER.recognize(text)) == []


def test_japanese_is_left_to_others():
    assert not TAGGER.recognize("田中さんは東京に住んでいます。とても静かな町です。")


def test_torch_is_not_imported_for_a_text_without_chinese():
    code = (
        "import sys; from sage_rag.privacy.recognizers.chinese.tagger import ChineseTagger;"
        "ChineseTagger().recognize('Call Mary Smith tomorrow.');"
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.slow
def test_a_value_is_found_wherever_windows_are_cut():
    sentence = "记者采访了陈志远，他说最近很忙。"
    for padding in (0, 440, 470, 475, 480, 490, 505, 520):
        text = "雨" * padding + "，" + sentence + "。" + "天气很好，" * 120
        start = text.index("陈志远")
        hit = [s for s in TAGGER.recognize(text) if s.entity_type is PERSON]
        assert any(s.start <= start and s.end >= start + 3 for s in hit), padding


def test_a_batch_answers_as_each_text_alone():
    texts = [text for text, _ in FOUND] + PLAIN + ["no Chinese", ""]
    together = TAGGER.recognize_all(texts)
    for text, spans in zip(texts, together, strict=True):
        alone = TAGGER.recognize(text)
        assert [(s.start, s.end, s.entity_type) for s in alone] == [
            (s.start, s.end, s.entity_type) for s in spans
        ]


@pytest.mark.slow
def test_threads_share_one_model():
    texts = [text for text, _ in FOUND] * 4
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(TAGGER.recognize, texts))
    expected = [TAGGER.recognize(text) for text in texts]
    assert answers == expected


def test_fingerprint_is_stable_and_tells_the_weights(tmp_path):
    assert ChineseTagger().fingerprint == TAGGER.fingerprint
    other = tmp_path / "other.safetensors"
    other.write_bytes(WEIGHTS.read_bytes() + b" ")
    assert ChineseTagger(other).fingerprint != TAGGER.fingerprint


def test_a_file_of_something_else_is_refused(tmp_path):
    path = tmp_path / "weights.safetensors"
    path.write_bytes(b"no weights")
    with pytest.raises(InputError, match=r"`weights\.safetensors` is not a Chinese"):
        ChineseTagger(path).recognize("我叫王小明。")


def test_shipped_files_stay_small():
    assert WEIGHTS.stat().st_size + WORDS.stat().st_size < 1_500_000


def test_scores_are_probabilities_and_spans_lie_in_the_text():
    for text, _ in FOUND:
        for span in TAGGER.recognize(text):
            assert 0 < span.score <= 1
            assert span.end <= len(text)


def decode(text, scores, begins=()):
    column = np.array(scores, dtype=np.float32)[:, None]
    marks = np.zeros((len(text), 1), dtype=np.bool_)
    marks[list(begins)] = True
    return [text[s.start : s.end] for s in decode_characters(text, column, marks, [PERSON], [0.1])]


DECODED = [
    ("见王明了", [0, 0.9, 0.9, 0], (), ["王明"]),
    ("见王明了", [0, 0.2, 0.9, 0], (), ["王明"]),
    ("见王明了", [0, 0.05, 0.06, 0], (), []),
    ("王明李红", [0.9, 0.9, 0.9, 0.9], (0, 2), ["王明", "李红"]),
    ("见王明了", [0, 0.15, 0.15, 0], (), []),
    ("“王明”", [0.9, 0.9, 0.9, 0.9], (), ["王明"]),
    ("选手Moon赢", [0, 0, 0.9, 0.9, 0.2, 0.9, 0], (5,), ["Moon"]),
]


@pytest.mark.parametrize(("text", "scores", "begins", "expected"), DECODED)
def test_decoding(text, scores, begins, expected):
    assert decode(text, scores, begins) == expected


COMPLETED = [
    ("住在翠湖花园3号楼2单元。", "翠湖", "翠湖花园3号楼2单元"),
    ("在松涛路站B口等你", "松涛路", "松涛路站B口"),
    ("住在南二环外，很远", "南二环", "南二环外"),
    ("上海站起来了", "上海", "上海"),
    ("上海一座大楼", "上海", "上海"),
    ("上海外国人多", "上海", "上海"),
    ("上海市长讲话", "上海", "上海"),
]


@pytest.mark.parametrize(("text", "seen", "expected"), COMPLETED)
def test_a_place_ends_with_the_word_for_its_kind(text, seen, expected):
    scores = np.zeros((len(text), 1), dtype=np.float32)
    start = text.index(seen)
    scores[start : start + len(seen)] = 0.9
    begins = np.zeros((len(text), 1), dtype=np.bool_)
    (span,) = decode_characters(text, scores, begins, [LOCATION], [0.1])
    assert text[span.start : span.end] == expected


def test_a_type_half_as_sure_inside_another_is_left_out():
    scores = np.array([[0.9, 0.3], [0.9, 0.3]], dtype=np.float32)
    begins = np.zeros((2, 2), dtype=np.bool_)
    spans = decode_characters("上海", scores, begins, [LOCATION, ORGANIZATION], [0.1, 0.1])
    assert [s.entity_type for s in spans] == [LOCATION]


def test_features_mark_words_where_they_stand():
    words = load_words(WORDS)
    seen = features_of("住在上海", words)
    assert seen.shape == (4, FEATURES)
    without = features_of("住在上海", words, keep=lambda: False)
    assert seen[2:].sum() > without[2:].sum()
    assert (seen[0] == without[0]).all()


def test_english_beside_a_chinese_word_is_left_to_others():
    text = (
        "The Battle of Hulao ( 虎牢之戰 ) was won by a king. "
        + "He led the army to it again. " * 20
    )
    assert all(span.end < 60 for span in TAGGER.recognize(text))


def test_a_latin_name_among_chinese_words_is_read():
    text = "昨天球员Rossi在上海接受了采访，Rossi说他很高兴。"
    found = {
        text[s.start : s.end] for s in TAGGER.recognize(text) if s.entity_type is EntityType.PERSON
    }
    assert "Rossi" in found
