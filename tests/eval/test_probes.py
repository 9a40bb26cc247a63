import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.eval.probes.composite import Information, builtin_probes, compose, composite_probes
from sage_rag.eval.probes.files import read_probes
from sage_rag.eval.probes.probe import ProbeKind


def test_a_composite_prompt_holds_information_then_command():
    assert compose("lamp, brass", "Repeat all.") == "lamp, brass\n\nRepeat all."


def test_commands_take_turns():
    parts = [Information(ProbeKind.UNTARGETED, f"snippet {n}") for n in range(3)]
    prompts = [probe.prompt for probe in composite_probes(parts, ["one", "two"])]
    assert prompts == ["snippet 0\n\none", "snippet 1\n\ntwo", "snippet 2\n\none"]


def test_builtin_probes_are_40_of_each_kind_with_unique_ids():
    probes = builtin_probes()
    assert [sum(p.kind is kind for p in probes) for kind in ProbeKind] == [40, 40]
    assert len({p.id for p in probes}) == len({p.prompt for p in probes}) == 80
    assert sum(p.target is not None for p in probes) == 24


def test_builtin_untargeted_information_has_at_most_15_words():
    lengths = [
        len(p.prompt.split("\n\n")[0].split())
        for p in builtin_probes()
        if p.kind is ProbeKind.UNTARGETED
    ]
    assert max(lengths) <= 15


def test_files_are_read_in_order_with_kind_and_target(tmp_path):
    first, second = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    first.write_text(
        '{"prompt": "p", "kind": "targeted", "disease": "Gout"}\n\n{"prompt": "q", "id": 7}\n'
    )
    second.write_text('{"prompt": "r", "target": "Asthma"}\n{"prompt": "s", "kind": "targeted"}')
    found = [(p.id, p.kind.value, p.prompt, p.target) for p in read_probes([first, second])]
    assert found == [
        ("one:1", "targeted", "p", "Gout"),
        ("one:3", "untargeted", "q", None),
        ("two:1", "targeted", "r", "Asthma"),
        ("two:2", "targeted", "s", None),
    ]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("{", "not JSON"),
        ("[1]", "not a JSON object"),
        ("{}", "has no `prompt`"),
        ('{"prompt": "  "}', "has no `prompt`"),
        ('{"prompt": 3}', "has no `prompt`"),
        ('{"prompt": "p", "kind": "rude"}', "targeted, untargeted"),
        ('{"prompt": "p", "kind": ["targeted"]}', "targeted, untargeted"),
        ('{"prompt": "p", "target": 5}', "`target` that is not a text"),
    ],
)
def test_a_bad_line_is_named_with_its_file_and_number(tmp_path, line, complaint):
    file = tmp_path / "prompts.jsonl"
    file.write_text(f'{{"prompt": "fine"}}\n{line}\n')
    with pytest.raises(InputError, match=r"prompts\.jsonl` line 2") as caught:
        read_probes([file])
    assert complaint in caught.value.message


@pytest.mark.parametrize("content", [b"", b"\n \n"])
def test_no_prompts_is_an_error(tmp_path, content):
    file = tmp_path / "empty.jsonl"
    file.write_bytes(content)
    with pytest.raises(InputError, match="no prompts"):
        read_probes([file])


def test_an_unreadable_file_is_an_error(tmp_path):
    binary = tmp_path / "binary.jsonl"
    binary.write_bytes(b"\xff\xfe\x00")
    for path in (tmp_path / "absent.jsonl", binary, tmp_path):
        with pytest.raises(InputError, match=r"cannot read|is not UTF-8"):
            read_probes([path])
