"""Places, addresses and organisations in Chinese text: by known names and by endings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.chinese.words import ABROAD, CITIES, ORGANIZATIONS, PROVINCES
from sage_rag.privacy.spans import Span

_STOP = (
    "的了是在和与及被把对向从到于因将也就则又还已未之并而或其他她它们这那该此为以让给请等有各每某"
    "曾由往即着过称说"
)
_NAME = rf"[^\W\d_A-Za-z{_STOP}]"
"""One Han character that may be part of a proper name."""
_PART = rf"(?:{_NAME}|[*＊×])"
"""The same, or a character that a court has masked."""
_NUMBER = r"(?:[A-Za-z]?[\d*＊×Xx]{1,6}|[〇零一二三四五六七八九十百]{1,5}|[甲乙丙丁东南西北A-Z])"


def _grouped(words: Iterable[str]) -> str:
    """Return one expression for many words, grouped by first character to have few branches."""
    by_first: dict[str, list[str]] = {}
    for word in sorted(words, key=len, reverse=True):
        by_first.setdefault(word[0], []).append(re.escape(word[1:]))
    branches = "|".join(f"{first}(?:{'|'.join(rest)})" for first, rest in by_first.items())
    return f"(?=[{''.join(by_first)}])(?:{branches})"


_KNOWN = _grouped({*PROVINCES, *CITIES})
_DISTRICT = (
    r"(?:自治州|自治县|自治旗|地区|新区|开发区|高新区|经济区|林区|矿区|市|区|县|旗|盟|州|省)"
)
_VILLAGE = (
    r"(?:街道办?|办事处|乡镇|镇|乡|苏木|村委会|行政村|自然村|新村|村|社区|居委会|屯|寨|庄"
    r"|农场|林场)"
)
_STREET = (
    r"(?:大道|大街|公路|国道|省道|高速公路|高速|环路|马路|路口|路段|胡同|步行街|商业街|路|街|巷|弄|桥"
    r"|小区|花园|家园|花苑|新苑|公寓|大厦|广场|大楼|宿舍|工业园|园区|科技园|产业园|商城|市场|超市|网吧|宾馆|酒店"
    r"|饭店|工地|车站|火车站|地铁站|停车场|机场|码头|公园|菜场|KTV|苑|府|城)"
)
_HOUSE = (
    rf"(?:{_NUMBER}(?:号楼|号院|号|弄|栋|幢|座|单元|室|楼|层|组|队|门|户|区|期|房|村民小组)[之-]?)"
)
_DETAIL = (
    rf"(?:{_PART}{{1,7}}?{_DISTRICT}){{0,3}}(?:{_PART}{{1,7}}?{_VILLAGE}){{0,3}}"
    rf"(?:(?:{_PART}|[A-Za-z\d“”\"]){{1,9}}?{_STREET}){{0,3}}{_HOUSE}{{0,7}}"
    rf"(?:{_PART}{{0,8}}?(?:门口|楼下|附近|对面|路口|门前|楼顶|宿舍|仓库|停车场|出租屋|店内|店|房间|家中|处|旁))?"
)
_ADDRESS = re.compile(rf"(?:{_KNOWN}(?:{_DISTRICT})?|本[市区县]){_DETAIL}")
_FROM_BORDER = re.compile(
    rf"(?:(?<!{_NAME})|(?<=[在到从往至于由住经沿]))"
    rf"(?:{_NAME}{{2,6}}?(?:省|市|自治区|自治州|自治县|县|区|旗|镇|乡|村|街道|社区)(?!场|民|长|委|政|里|内|域|别)"
    rf"|{_NAME}{{2,7}}?{_STREET}(?=\d|{_HOUSE})){_DETAIL}"
)
_STREET_WITH_NUMBER = re.compile(
    rf"{_NAME}{{2,6}}?(?:大道|大街|胡同|路|街|巷|弄|村){_HOUSE}{{1,6}}"
)
_KNOWN_ORGANIZATION = re.compile(_grouped(ORGANIZATIONS))
_ABROAD = re.compile(_grouped(ABROAD))
_GENERIC_PLACE = re.compile(
    r"(?:本|全|各|我|城|郊|地|市|山|灾|社|小|校|园|片|辖|景|库|学|战|禁|时|误|盲|专|老|新|农|乡|每|两|多|几|整|大|半|一|二|三)*"
    r"(?:省|市|区|县|镇|乡|村|社区|小区|路|街)+"
)

_COMPANY = (
    r"(?:有限责任公司|股份有限公司|有限公司|股份公司|分公司|子公司|总公司|公司|集团|银行|支行|分行|信用社|证券|基金|保险|酒店|宾馆|饭店"
    r"|超市|商场|百货|药店|药房|门诊部|诊所|工厂|厂|工作室|网吧|出版社|报社|杂志社|通讯社|电视台|电台|日报|晚报|时报|周刊|控股|地产|传媒|科技|餐厅|影业|航空|卫视)"
)
_OFFICE = (
    r"(?:委员会|管委会|人民政府|政府|人民法院|中院|中级法院|高级法院|最高法院|法院|检察院|公安局|公安分局|分局|派出所|看守所|监狱|戒毒所"
    r"|司法局|税务局|工商局|教育局|卫生局|民政局|管理局|总局|财政部|商务部|外交部|教育部|国防部|卫生部|司法部|央行|国务院|国会|议会|法庭|仲裁委|交警队|交警大队|支队|大队|总队|海关|大使馆|领事馆|管理处|办公室|国防部|外交部|建设部|铁道部|农业部|文化部|公安部|交通部|宣传部|组织部|国土资源部|工信部|事业部|局|厅|署)"
)
_INSTITUTE = (
    r"(?:大学|学院|中学|小学|学校|幼儿园|医院|卫生院|保健院|疾控中心|研究院|研究所|研究中心|认证中心|认定中心|中心|机构|事务所|鉴定中心|鉴定所|协会|学会|商会|联合会|联盟|基金会"
    r"|俱乐部|球队|国家队|足球队|篮球队|代表队|足协|乐队|乐团|剧团|剧院|博物馆|图书馆|美术馆|养老院|敬老院|福利院|教会|寺|工会|联社|合作社|战队|国家队|联队|[男女]足|[男女]篮)"
)
_ORGANIZATION = re.compile(
    rf"(?:{_NAME}|[A-Za-z\d&（）()*×-]){{2,18}}(?:{_COMPANY}|{_OFFICE}|{_INSTITUTE})"
    rf"(?!员|长|门|分|署|落|下|令|内|外|落|商|房|里|会儿|区|群)"
)
_NOT_AN_ORGANIZATION = re.compile(
    r"(?:这家|那家|一家|两家|多家|家|各|某|本|该|我|贵|全|大|小|新|老|外|内|上|下|总|分|子|母|原|两|多|几)*"
    r"(?:有限公司|公司|集团|银行|医院|大学|学校|法院|政府|部队|部|局|厅|队|社|厂|党|军|中学|小学|超市|酒店|俱乐部|委员会|办公室|球队|全部|内部|外部|干部|总部|局部|军队|社会|商场|基金|保险|科技|证券|地产|航空|商业银行|中心|机构|战队|幼儿园|派出所|出版社|一些银行|不少银行)"
)
_INTRODUCES = re.compile(
    r"(?:表示|认为|指出|介绍|记者|前往|来到|进入|走进|加盟|效力|供职|就职|任职|毕业|就读|考入|担任|成为|包括|例如|比如|如|通过|关于|根据|按照"
    r"|今天|昨天|日前|近日|目前|现在|如果|虽然|但|但是|因此|所以|以及|同时|最后|首先|随后|之后|以后|以前|时|后|前|年|月|日|和|经(?!纪|济|营|贸|典|销|开)|至|窜|据|看好|显示)"
)


def find_places(text: str) -> Iterator[Span]:
    """Yield known places and whole addresses."""
    for pattern, score in ((_ADDRESS, 0.9), (_FROM_BORDER, 0.7), (_STREET_WITH_NUMBER, 0.7)):
        for match in pattern.finditer(text):
            if not _GENERIC_PLACE.fullmatch(match.group()):
                yield Span(match.start(), match.end(), EntityType.LOCATION, score)
    for match in _ABROAD.finditer(text):
        yield Span(match.start(), match.end(), EntityType.LOCATION, 0.8)


def find_organizations(text: str) -> Iterator[Span]:
    """Yield known organisations, and names with the ending of a company, office or institution.

    The start of a name is a guess: after a word that introduces names, or a function word.
    """
    for match in _KNOWN_ORGANIZATION.finditer(text):
        yield Span(match.start(), match.end(), EntityType.ORGANIZATION, 0.7)
    for match in _ORGANIZATION.finditer(text):
        start = match.start()
        for word in _INTRODUCES.finditer(text, start, match.end()):
            if word.end() <= match.end() - 3:
                start = word.end()
        if not _NOT_AN_ORGANIZATION.fullmatch(text, start, match.end()):
            yield Span(start, match.end(), EntityType.ORGANIZATION, 0.7)
