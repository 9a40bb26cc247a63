"""Reading pdf, docx and html files, made here."""

import zipfile
from importlib.util import find_spec

import pytest

from sage_rag.common.exceptions import InputError, MissingExtraError
from sage_rag.indexer.corpus import read_corpus

pytestmark = pytest.mark.slow

needs_readers = pytest.mark.skipif(
    find_spec("docx2txt") is None, reason="the extra `readers` is not installed"
)
W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
FIRST, SECOND = "Ada Moreno came on Monday.", "She coughs & sneezes."


def write_html(path):
    path.write_text(
        f"<html><head><title>No text</title></head><body><p>{FIRST}</p>"
        f"<p>{SECOND.replace('&', '&amp;')}</p></body></html>",
        "utf-8",
    )


def write_docx(path):
    paragraphs = "".join(
        f"<w:p><w:r><w:t>{text.replace('&', '&amp;')}</w:t></w:r></w:p>" for text in (FIRST, SECOND)
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            "word/document.xml",
            f'<w:document xmlns:w="{W}"><w:body>{paragraphs}</w:body></w:document>',
        )


def write_pdf(path):
    """Write one page with one line of text per paragraph."""
    lines = f"BT /F1 12 Tf 72 700 Td ({FIRST}) Tj 0 -20 Td ({SECOND}) Tj ET"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
        " /Resources << /Font << /F1 5 0 R >> >> >>",
        f"<< /Length {len(lines)} >>\nstream\n{lines}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    content, places = "%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(content))
        content += f"{number} 0 obj\n{body}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    content += (
        f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
        f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(content)}\n%%EOF\n"
    )
    path.write_text(content, "ascii")


WRITERS = {"html": write_html, "htm": write_html, "docx": write_docx, "pdf": write_pdf}


@needs_readers
@pytest.mark.parametrize("kind", WRITERS)
def test_the_text_of_a_document_is_read(tmp_path, kind):
    path = tmp_path / f"Report.{kind}"
    WRITERS[kind](path)
    (document,) = read_corpus(path)
    assert document.id == path.name
    assert [line.strip() for line in document.text.split("\n") if line.strip()] == [FIRST, SECOND]


@needs_readers
@pytest.mark.parametrize("kind", ["docx", "pdf"])
def test_a_damaged_document_is_named_and_not_quoted(tmp_path, kind, capfd):
    path = tmp_path / f"damaged.{kind}"
    path.write_text(FIRST)
    with pytest.raises(InputError, match=f"no {kind} file") as caught:
        list(read_corpus(path))
    assert "Moreno" not in str(caught.value)
    assert not capfd.readouterr().err


@pytest.mark.skipif(find_spec("docx2txt") is not None, reason="the extra `readers` is installed")
@pytest.mark.parametrize("kind", WRITERS)
def test_without_the_extra_the_error_names_it(tmp_path, kind):
    path = tmp_path / f"report.{kind}"
    WRITERS[kind](path)
    with pytest.raises(MissingExtraError) as caught:
        list(read_corpus(path))
    assert "sage-rag[readers]" in caught.value.hint
