"""Invented texts that the stages of the golden tests read."""

from __future__ import annotations

import json
from pathlib import Path

from sage_rag.privacy.entities import EntityType

EXAMPLES = Path(__file__).parents[2] / "examples"

FORMS = [
    "Write to t.wieczorek@example.org or call +48 61 555 01 23; see https://example.org/~ada?u=7.",
    "Card 4111 1111 1111 1111, IBAN DE89 3704 0044 0532 0130 00, SSN 536-90-4399, NHS 943 476 5919.",
    "Host 192.0.2.17, MAC 00:00:5E:00:53:01, user @ada_novak, password: hunter2-Xy.",
    "Case no. 2021/1234, MRN 4471902, plate AB12 CDE, born 3 May 1974, aged 38, earns $54,000 a year.",
]
NATIONAL_NUMBERS = [
    "PESEL 44051401359. My DNI, 12345678Z; NIE X1234567L; hetu 131052-308T; TC 10000000146.",
    "RRN 960121-1234567, code MRTMTT91D08F205J, ITIN 911-70-1234, licence MORGA657054SM9IJ.",
    "aadhaar 234123412346; her tax file number: 876543210; provider NPI 1234567893; DEA BB1388568.",
    "her passport, renewed in May, AB1234567; routing number 021000021; to "
    "16Yeky6GMjeNkAiNcBY7ZhrLoMSgg1BoyZ",
    "Order 44051401359 of 12345678 pieces needs no passport and no bank.",
]
DISGUISES = [
    "ada (at) example [dot] org, a d a . n o v a k @ example . org, ada&#64;example.org",
    "ring four seven one, five five five, zero one two three; +48 6l 555 Ol 23; hxxps://example.org",
    "ада@example.org, ad\u200ba@example.org, ａｄａ＠ｅｘａｍｐｌｅ．ｏｒｇ, ada%40example.org",
]
DESCRIPTIONS = [
    "He is a Muslim, his wife a Jehovah’s Witness; both voted for the Greens.",
    "The shop steward is Kurdish, a German engineer and gay.",
    "German measles, a Turkish bath, conservative treatment, white patches on black skin.",
    "She is politically conservative; her Christian name is on the label.",
    "被告人，回族，中共党员，住水族馆旁。",
]

CLINICAL = [
    "Her LDL should be below 70, the fever was 38.9 and CK rose. She is 52, and 90 kg.",
    "Take it for 10 days, then every 6 months; in May 2021 he was 47 years old. Ask Dr. CK Rao.",
]
SCRIPTS = ["The patient สมศรี (रोहित शर्मा) came in.", "اسمي خالد", "田中太郎です"]
CHINESE = [
    "被告人李某甲，身份证号码11010519491231002X，手机138-0013-8000，于2021年3月5日在成都被抓获。",
    "记者采访了住在朝阳区的陈志远，他说上海星河科技有限公司最近很忙。原告王晓明，45岁，（2021）京01民终1234号。",
    "昨天欧阳雪梅教授从杭州市第一人民医院出发，乘京A12345小型轿车到北京市海淀区学院路27号院3号楼502室。",
]
CHINESE_VALUES = {
    "陈志远": EntityType.PERSON,
    "朝阳区": EntityType.LOCATION,
    "上海星河科技有限公司": EntityType.ORGANIZATION,
    "45岁": EntityType.AGE,
}
CHINESE_RECORD = {"question": CHINESE[1], "answer": "请陈志远多休息，下周再来。"}
JUDGMENT = (
    "1. The applicant, Ms Ada Novak, was born in 1974 and lives in Lindhagen. 2. On 3 May 2011 she "
    "was arrested by the police on suspicion of fraud, and on the same day the District Court of "
    "Lindhagen remanded her in custody. 3. Her lawyer lodged an appeal, arguing that there was no "
    "evidence and that her detention was unlawful; the appeal was dismissed on 9 June 2011. "
    "4. Before the Court, the applicant complained that the proceedings had been unfair, because "
    "the witness Boris Lind had not been heard, although she had asked for it twice. "
    "5. The Government contested that argument. Having regard to its case-law, the Court considers "
    "that the proceedings, which lasted seven years, were excessive."
)
MAIL = (
    "Hi Boris,\n\nThanks for the draft you sent yesterday. I've looked at the numbers with Ada "
    "Novak, and we think that the price is too high; could you ask the supplier whether he'd go "
    "down to 40,000? If not, we'll have to look elsewhere. The meeting in Lindhagen is on Tuesday "
    "at 10, so please let me know by Monday. I don't want to lose the contract, but I won't sign "
    "anything that Legal hasn't seen.\n\nBest regards,\nAda\n"
)
ARTICLE = (
    "Lindhagen is a town in the north of the province, founded in 1642 by Ada Novak, who was a "
    "merchant and shipowner. It was destroyed by fire in 1809 and rebuilt within ten years. The "
    "town hall, which is the oldest building, was designed by Boris Lind; it houses a museum and "
    "a library. In 1921 the railway arrived, and the population doubled. Today the town is known "
    "for its glass, its music festival and the harbour, where about 300 boats are moored."
)
OTHER_VALUES = {
    "Ada Novak": EntityType.PERSON,
    "Boris Lind": EntityType.PERSON,
    "Boris": EntityType.PERSON,
    "Lindhagen": EntityType.LOCATION,
    "3 May 2011": EntityType.DATE_TIME,
}


def other_forms() -> list[dict[str, str]]:
    """Return a judgment, a mail, an article and the notes of the examples, one field each."""
    notes = sorted((EXAMPLES / "handbook").iterdir())
    written = [JUDGMENT, MAIL, ARTICLE, *(note.read_text("utf-8") for note in notes)]
    return [{"text": text} for text in written]


def records(count: int) -> list[dict[str, str]]:
    """Return the first records of the example corpus, fields alone."""
    lines = (EXAMPLES / "clinic.jsonl").read_text("utf-8").splitlines()[:count]
    return [{k: v for k, v in json.loads(line).items() if k != "id"} for line in lines]


def known_values(count: int) -> list[dict[str, EntityType]]:
    """Return the annotated values of the same records."""
    lines = (EXAMPLES / "clinic_gold.jsonl").read_text("utf-8").splitlines()[:count]
    return [
        {e["text"]: EntityType(e["type"]) for e in json.loads(line)["entities"]} for line in lines
    ]
