import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.chinese.patterns import resident_id
from sage_rag.privacy.recognizers.chinese.recognizer import ChineseRecognizer

RECOGNIZER = ChineseRecognizer()


def found(text, entity_type):
    return {
        text[s.start : s.end] for s in RECOGNIZER.recognize(text) if s.entity_type is entity_type
    }


FOUND = [
    ("身份证号码：11010519491231002X。", EntityType.NATIONAL_ID, "11010519491231002X"),
    ("旧证110105491231002，已换", EntityType.NATIONAL_ID, "110105491231002"),
    ("身份证号110105********002X", EntityType.NATIONAL_ID, "110105********002X"),
    ("护照号E12345678", EntityType.PASSPORT, "E12345678"),
    ("手机13800138000，", EntityType.PHONE_NUMBER, "13800138000"),
    ("手机+86 138-0013-8000，", EntityType.PHONE_NUMBER, "+86 138-0013-8000"),
    ("手机138****8000", EntityType.PHONE_NUMBER, "138****8000"),
    ("致电010-62345678转801", EntityType.PHONE_NUMBER, "010-62345678转801"),
    ("电话一三八零零一三八零零零", EntityType.PHONE_NUMBER, "一三八零零一三八零零零"),
    ("卡号6222020000000000001，", EntityType.BANK_ACCOUNT, "6222020000000000001"),
    ("刷卡6222 0200 0000 0000 000", EntityType.CREDIT_CARD, None),
    ("尾号为1234的卡", EntityType.BANK_ACCOUNT, "1234"),
    ("驾驶京A12345小型轿车", EntityType.VEHICLE, "京A12345"),
    ("驾驶湘A·D12345汽车", EntityType.VEHICLE, "湘A·D12345"),
    ("号牌浙B*****", EntityType.VEHICLE, "浙B*****"),
    ("（2021）京01民终1234号", EntityType.CASE_NUMBER, "（2021）京01民终1234号"),
    ("住院号：ZY0012345", EntityType.MEDICAL_RECORD, "ZY0012345"),
    ("微信号wang_xm88", EntityType.USERNAME, "wang_xm88"),
    ("账号：mei_lin88", EntityType.USERNAME, "mei_lin88"),
    ("密码：abc123，", EntityType.SECRET, "abc123"),
    ("于2021年3月5日下午3时许到", EntityType.DATE_TIME, "2021年3月5日下午3时许"),
    ("二〇二一年三月五日作出", EntityType.DATE_TIME, "二〇二一年三月五日"),
    ("生于农历八月十五", EntityType.DATE_TIME, "农历八月十五"),
    ("2018年1月至3月期间", EntityType.DATE_TIME, "2018年1月至3月期间"),
    ("男，45岁，", EntityType.AGE, "45岁"),
    ("现年四十五周岁", EntityType.AGE, "现年四十五周岁"),
    ("年龄：37，", EntityType.AGE, "37"),
    ("被告人张某某到案", EntityType.PERSON, "张某某"),
    ("被害人李某甲报案", EntityType.PERSON, "李某甲"),
    ("被告人朱**供述", EntityType.PERSON, "朱**"),
    ("原告王晓明诉称", EntityType.PERSON, "王晓明"),
    ("联系人：呼延静波", EntityType.PERSON, "呼延静波"),
    ("欧阳建国教授说", EntityType.PERSON, "欧阳建国"),
    ("陈先生与刘女士", EntityType.PERSON, "陈"),
    ("约翰·哈里森到访", EntityType.PERSON, "约翰·哈里森"),
    ("住在北京市海淀区学院路27号院3号楼502室", EntityType.LOCATION, "北京市海淀区学院路27号院3号楼502室"),
    ("回到成都", EntityType.LOCATION, "成都"),
    ("他在上海星河科技有限公司工作", EntityType.ORGANIZATION, "上海星河科技有限公司"),
    ("送杭州市第一人民医院", EntityType.ORGANIZATION, None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "entity_type", "value"), FOUND, ids=[f[0] for f in FOUND])
def test_value_is_found(text, entity_type, value):
    values = found(text, entity_type)
    assert values if value is None else value in values


@pytest.mark.parametrize(
    ("text", "entity_type"),
    [
        ("编码110105194912310021是旧的", EntityType.NATIONAL_ID),  # check digit
        ("编码99010519491231002X", EntityType.NATIONAL_ID),  # no such province
        ("高兴的时候，方法很多，黄金上涨", EntityType.PERSON),
        ("我们于是成立了公司", EntityType.PERSON),
        ("这家公司和那家医院", EntityType.ORGANIZATION),
        ("价格为12.45万元", EntityType.DATE_TIME),
        ("订单13800138000123", EntityType.PHONE_NUMBER),
        ("本市的小区很多", EntityType.LOCATION),
        ("注射海洛因", EntityType.PERSON),
    ],
)
def test_value_is_not_made_up(text, entity_type):
    assert not found(text, entity_type)


def test_a_name_found_once_is_found_everywhere():
    text = "原告王晓明诉称，车辆由王晓明驾驶，后王晓明离开。"
    spans = [s for s in RECOGNIZER.recognize(text) if text[s.start : s.end] == "王晓明"]
    assert {s.start for s in spans} >= {2, 11, 18}


@pytest.mark.parametrize(
    "text", ["田中さんは東京の会社で働いています。", "これは王様の話です", "山田太郎（やまだたろう）さんへ"]
)  # fmt: skip
def test_japanese_is_left_to_others(text):
    assert not RECOGNIZER.recognize(text)


def test_text_without_han_is_searched_for_resident_ids_only():
    assert not RECOGNIZER.recognize("On 3/5/2021 call 13800138000, flat A12345")
    assert found("ID 11010519491231002X", EntityType.NATIONAL_ID) == {"11010519491231002X"}


@given(
    st.sampled_from(["110105", "440301", "310115"]),
    st.dates(datetime.date(1900, 1, 1), datetime.date(2099, 12, 31)),
    st.integers(0, 999),
)
def test_exactly_one_check_character_makes_a_resident_id(region, born, serial):
    number = f"{region}{born:%Y%m%d}{serial:03}"
    assert sum(resident_id(number + last) for last in "0123456789X") == 1


@given(st.text("张王某在的0123456789年月日北京市路号公司李明·×*", max_size=200))
def test_any_text_gives_spans_inside_it(text):
    for span in RECOGNIZER.recognize(text):
        assert 0 <= span.start < span.end <= len(text)
