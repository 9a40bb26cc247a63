"""Patterns of mainland China: numbers of people, accounts and vehicles, dates and ages.

Python's `\\b` and `\\w` count Han characters as letters, and Chinese text has no spaces, so these
patterns look for digits and Latin letters around a value, never for word borders.
"""

from __future__ import annotations

import datetime
import re

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.forms.checksums import luhn, only_digits, resident_id_check
from sage_rag.privacy.recognizers.forms.patterns import first_group, pattern

_REGIONS = frozenset(
    "11 12 13 14 15 21 22 23 31 32 33 34 35 36 37 41 42 43 44 45 46 50 51 52 53 54 61 62 63 64 65 "
    "71 81 82 83".split()
)
"""Provinces by their code, GB/T 2260."""

_NUMERAL = "[〇零一二三四五六七八九十廿卅百]"
_MASK = "[*＊×xX✕某]"
_IS = r"(?:号码|号|为|是|[:：]|\s|[(（]){0,4}"


def resident_id(number: str) -> bool:
    """Return whether an 18-character resident id has a real province, date and check digit.

    Source: GB 11643-1999.
    """
    if len(number) != 18 or number[:2] not in _REGIONS or not _is_date(number[6:14]):
        return False
    if not (number[:17].isascii() and number[:17].isdigit()):
        return False
    return resident_id_check(number[:17]) == number[17].upper()


def _is_date(digits: str) -> bool:
    try:
        born = datetime.date(int(digits[:4]), int(digits[4:6]), int(digits[6:]))
    except ValueError:
        return False
    return 1850 <= born.year <= 2100


def _resident_id(match: re.Match[str]) -> tuple[int, int] | None:
    compact = match.group().replace(" ", "").replace("-", "")
    return match.span() if resident_id(compact) else None


def _old_resident_id(match: re.Match[str]) -> tuple[int, int] | None:
    number = match.group()
    real = number[:2] in _REGIONS and _is_date("19" + number[6:12])
    return match.span() if real else None


def _card(match: re.Match[str]) -> tuple[int, int] | None:
    return match.span("value") if luhn(only_digits(match["value"])) else None


RESIDENT_ID = pattern(
    EntityType.NATIONAL_ID,
    r"(?<![\dA-Za-z])[1-9]\d{5}[ -]?\d{8}[ -]?\d{3}[\dXx](?![\dA-Za-z])",
    0.99,
    _resident_id,
)
"""The one pattern that needs no Chinese text around it: its checksum is strong enough."""

_ACCOUNT = r"(?:银行卡|储蓄卡|信用卡|借记卡|贷记卡|卡号|账号|帐号|账户|帐户)(?:号码|账号|号)?"

NUMBERS_ZH = (
    pattern(
        EntityType.NATIONAL_ID, r"(?<![\dA-Za-z])[1-9]\d{14}(?![\dA-Za-z])", 0.8, _old_resident_id
    ),
    pattern(
        EntityType.NATIONAL_ID,
        rf"(?:身份证|证件|公民身份)(?:证)?{_IS}(?P<value>[1-9]\d{{2,13}}{_MASK}{{2,14}}[\dXx]{{0,6}}"
        r"|[1-9]\d{13,16}[\dXx])",
        0.9,
    ),
    pattern(EntityType.NATIONAL_ID, r"(?<![A-Za-z\d])[A-Z]{1,2}\d{6}[(（][\dA][)）]", 0.85),
    pattern(
        EntityType.PASSPORT,
        r"(?<![A-Za-z\d])(?:E[A-HJ-NP-Z]\d{7}|[EGDSPKHMCW]\d{8})(?![A-Za-z\d])"
        rf"|(?:护照|通行证|台胞证|居留证){_IS}(?P<value>[A-Z]{{0,2}}\d{{6,9}})(?![A-Za-z\d])",
        0.85,
    ),
    pattern(
        EntityType.DRIVER_LICENSE,
        rf"(?:驾驶证|驾照)(?:档案)?{_IS}(?P<value>[A-Z\d]{{8,18}})(?![A-Za-z\d])",
        0.85,
    ),
    pattern(
        EntityType.PHONE_NUMBER,
        r"(?<![\d.])(?:(?:\+|00)?86[- ]?)?1[3-9]\d(?:[- ]?[\d*＊×xX]{4}){2}(?![\dA-Za-z*])",
        0.9,
    ),
    pattern(
        EntityType.PHONE_NUMBER,
        r"(?<![\d.-])(?:(?:\+|00)86[- ]?)?[(（]?0(?:10|2\d|[3-9]\d{2})[)）]?[- ]?"
        r"[2-9]\d{2,3}[- ]?\d{4}(?:(?:-|转|分机)\d{1,6})?(?!\d)"
        r"|(?<![\d.-])[48]00[- ]?\d{3,4}[- ]?\d{3,4}(?!\d)",
        0.85,
    ),
    pattern(
        EntityType.PHONE_NUMBER,
        rf"(?:电话|热线|传真|手机|座机){_IS}(?P<value>\d{{3,4}}-?\d{{4}})(?!\d)",
        0.8,
    ),
    pattern(EntityType.PHONE_NUMBER, r"[一幺1][三四五六七八九][〇零幺一二三四五六七八九]{9}"),
    pattern(
        EntityType.CREDIT_CARD,
        r"(?<![\dA-Za-z])(?P<value>62(?:[ -]?\d){14,17})(?![\dA-Za-z])",
        0.95,
        _card,
    ),
    pattern(
        EntityType.CREDIT_CARD,
        rf"{_ACCOUNT}{_IS}(?P<value>[1-9](?:[ -]?\d){{14,18}})(?!\d)",
        0.95,
        _card,
    ),
    pattern(
        EntityType.BANK_ACCOUNT,
        rf"(?:{_ACCOUNT}|支付宝|对公账户){_IS}"
        r"(?P<value>[\d*＊×](?:[ -]?[\d*＊×]){5,29})(?!\d)"
        rf"|尾号{_IS}(?P<tail>\d{{3,4}})(?!\d)",
        0.85,
        first_group,
    ),
    pattern(
        EntityType.VEHICLE,
        r"[京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼使领][A-Z][·•. -]?"
        r"[A-HJ-NP-Z0-9*＊×xX]{4,5}[A-HJ-NP-Z0-9挂学警港澳*＊×xX](?![A-Za-z0-9])",
        0.95,
    ),
    pattern(
        EntityType.VEHICLE,
        rf"(?:车架|发动机|电动机|识别代)(?:号码|号){_IS}(?P<value>[A-Z\d*×]{{6,20}})",
        0.85,
    ),
    pattern(
        EntityType.CASE_NUMBER,
        r"[（(〔\[【]\d{4}[）)〕\]】][\u4e00-\u9fff\d]{1,14}?\d{1,6}(?:-\d{1,3})?号",
        0.95,
    ),
    pattern(
        EntityType.MEDICAL_RECORD,
        r"(?:病历|病案|住院|门诊|就诊卡?|医保卡?|社保卡?|检查|处方)(?:编号|号码|号|卡号)[为是:：\s]{0,3}"
        r"(?P<value>[A-Za-z]{0,4}[-\d]{4,20})",
        0.9,
    ),
    pattern(
        EntityType.ID,
        rf"(?:学号|工号|警号|编号|证号|保单号|合同号|订单号|快递单号|信用代码|执业证号?|登记号|流水号){_IS}"
        r"(?P<value>(?=[A-Za-z-]{0,8}\d)[A-Za-z\d-]{4,24})",
        0.85,
    ),
    pattern(
        EntityType.USERNAME,
        rf"(?:微信|QQ|ＱＱ|微博|抖音|陌陌|用户名|网名|昵称)(?:账号)?{_IS}[\"“「]?"
        r"(?P<value>[A-Za-z\d_][A-Za-z\d_-]{4,24})",
        0.85,
        ignore_case=True,
    ),
    pattern(
        EntityType.USERNAME,
        rf"(?:账号|帐号|登录名|账户名){_IS}(?P<value>(?=\d{{0,8}}[A-Za-z_])[A-Za-z\d_][A-Za-z\d_.-]{{3,24}})",
        0.85,
    ),
    pattern(EntityType.SECRET, rf"(?:密码|口令|验证码){_IS}(?P<value>[!-+\--:<-~]{{4,64}})", 0.9),
    pattern(EntityType.LOCATION, rf"(?:邮编|邮政编码){_IS}(?P<value>\d{{6}})(?!\d)", 0.85),
)

_YEAR = r"(?:(?:公元)?(?:(?<!\d)(?:\d{4}|\d{2})|[一二][〇零○O０一二三四五六七八九]{3})\s?年)"
_MONTH = r"(?:(?:\d{1,2}|十[一二]|[一二三四五六七八九十正冬腊])\s?月)"
_DAY = (
    r"(?:(?:\d{1,2}|初[一二三四五六七八九十]|[二三]?十[一二三四五六七八九]?|廿[一二三四五六七八九]?"
    r"|[一二三四五六七八九])\s?[日号]?(?<=[日号一二三四五六七八九十廿]))"
)
_PART = "(?:凌晨|清晨|早晨|早上|上午|中午|下午|傍晚|晚上|深夜|夜间|夜里|晚间|晚|早)"
_CLOCK = (
    rf"(?:{_PART}?\s?(?:\d{{1,2}}|{_NUMERAL}{{1,3}})\s?[时點点](?:\d{{1,2}}分|{_NUMERAL}{{1,3}}分|半|一刻|三刻)?(?:\d{{1,2}}秒)?"
    rf"|{_PART}?\s?\d{{1,2}}[:：]\d{{2}}(?:[:：]\d{{2}})?)(?:许|左右)?"
)
_REST = (
    rf"(?:[上中下]旬|底|初|末|间|份)?(?:左右|前后|期间)?(?:的?(?:某|一)[天日])?(?:\s?{_CLOCK}|{_PART}|夜里)?"
    rf"(?:(?:至|到|-|—|~)(?=[\d〇一二三四五六七八九十次])(?:次日)?(?:{_YEAR})?(?:{_MONTH})?(?:{_DAY})?(?:{_CLOCK})?)?(?:期间|之间|间)?"
)

DATES_ZH = (
    pattern(
        EntityType.DATE_TIME,
        rf"(?:(?:农历|阴历|阳历|公历)?(?:{_YEAR}|同年|去年|今年|明年|前年|当年)"
        rf"(?:度|(?:农历|阴历)?{_MONTH}(?:{_DAY})?)?"
        rf"|(?:农历|阴历)?(?:(?<!\d){_MONTH}|同月|本月|上月|当月){_DAY}|农历{_MONTH}{_DAY}?){_REST}",
        0.9,
        lambda match: (
            match.span() if re.search(r"[\d〇零一二三四五六七八九十正冬腊]", match[0]) else None
        ),
    ),
    pattern(
        EntityType.DATE_TIME,
        r"(?<![\d.])(?:19|20)\d{2}([-/.])\d{1,2}\1\d{1,2}(?![\d.]?\d)"
        rf"|(?:当日|次日|同日|当天|翌日|{_PART})\s?{_CLOCK}|(?<!\d)\d{{1,2}}日{_CLOCK}"
        r"|(?<!\d)\d{1,2}时(?:\d{1,2}分)?许",
        0.8,
    ),
)

AGES_ZH = (
    pattern(
        EntityType.AGE,
        rf"(?<!\d)(?:年仅|年近|年约|现年|时年|年满|年)?(?:\d{{1,3}}|{_NUMERAL}{{1,4}})(?:多|余|来)?(?:周)?岁"
        rf"(?:零?\d{{1,2}}个?月)?"
        rf"|(?:年龄|年纪)[为是约:：\s]{{0,3}}(?P<bare>\d{{1,3}})(?![\d.%])"
        rf"|(?:\d{{1,2}}|{_NUMERAL}{{1,3}})个月大",
        0.9,
        lambda match: match.span("bare" if match["bare"] else 0),
    ),
)

STRUCTURED_ZH = (*NUMBERS_ZH, *DATES_ZH, *AGES_ZH)
"""Patterns for text with Han characters."""
