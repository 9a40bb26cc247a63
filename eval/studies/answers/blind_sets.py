"""What each set of blind questions is: questions by writers who saw neither code nor results."""

from __future__ import annotations

LETTERS_AND_NOTES = {
    "blind_questions": """\
`eval/gold/blind_questions.jsonl`: letters of a dental practice, service mails of a machine shop and
case notes of a tenants' association, and their questions, by a writer who saw neither the code nor
any result. Unanswerable: a detail that is in no record, or a person who is in none. The first
reading, when rules and threshold were fixed, led to two mends.""",
    "blind_questions_2": """\
`eval/gold/blind_questions_2.jsonl`: loan letters of a museum, minutes of a rowing club and mails of
a shipping agent, by another such writer, asked once. Nothing was changed after it.""",
    "blind_questions_3": """\
`eval/gold/blind_questions_3.jsonl`: letters of home nurses, mails of an insurer and notes of a
school's office, by a third such writer. First asked when what comes near was first quoted (commit
1397d7b): of 42 unanswerable questions 3 were refused, 8 unclear and 31 answered, of 48 answerable
ones 5, 8 and 35. The table is of a second reading, after the rules for names.""",
    "blind_questions_4": """\
`eval/gold/blind_questions_4.jsonl`: letters and minutes of a choir, mails of a forestry office and
notes of a hospice, by a fourth such writer. First asked when the reader was trained and its first
thresholds were fixed: of 42 unanswerable questions 27 were refused, 7 unclear and 8 answered, of 48
answerable ones 20, 4 and 24. Then the thresholds were moved, and questions of several parts read
part by part, by the development questions, with these figures in view.""",
    "blind_questions_5": """\
`eval/gold/blind_questions_5.jsonl`: reports of a zoo, letters of a funeral home and notes of a
driving school, by a fifth such writer. First asked with the reader's first weights; since then the
other sets chose that the sentence of the answer counts in full, however doubtful the reader is, and
the figures of this set stayed the same.""",
    "blind_questions_6": """\
`eval/gold/blind_questions_6.jsonl`: mails of a workshop for vestments and flags, reports of a
quarry and letters of an agency for exchange pupils, by a sixth such writer. First asked when the
reader was trained on 36,386 more questions: of 42 unanswerable questions 27 were refused, 7
unclear and 8 answered, of 48 answerable ones 14, 18 and 16. Then the thresholds were chosen once
more, by the development questions and corpora, with these figures in view.""",
}
"""Files of `gold`, and what they are: on letters, notes and mails."""
STRUCTURED_RECORDS = {
    "blind_questions_7": """\
`eval/gold/blind_questions_7.jsonl`: records as offices write them, with headings, lists, forms and
quoted mails, 300 to 450 words each: notes of a clinic, decisions of a labour tribunal, reports and
mails of a lift company; 43 questions and ten conversations on each, by three such writers. The
answers on the clinic's notes were read while the rules for headings were made (development), those
on the other two were only counted.""",
    "blind_questions_8": """\
`eval/gold/blind_questions_8.jsonl`: the same of a bakery (complaints, audits, recipes), a workshop
for prostheses and a coroner's office, by another such writer; none of these answers was read.""",
    "blind_questions_9": """\
`eval/gold/blind_questions_9.jsonl`: letters of organ builders, notes of a geriatric day clinic,
half of them with headings and lists, and reports of a petitions office, by a further such writer;
none of these answers was read.""",
}
"""The same, on records with headings, lists and forms."""
