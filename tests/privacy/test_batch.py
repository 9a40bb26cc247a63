import contextlib
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from sage_rag.common.exceptions import SageRagError
from sage_rag.privacy.batch import ProtectorSpec, Record, RecordOutcome, protect_records
from sage_rag.privacy.ciphers.siv import SivCipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.exceptions import KeysetError
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.policy import preset
from sage_rag.privacy.restore import Restorer
from sage_rag.privacy.spans import Span
from sage_rag.privacy.testing import FailingRecognizer, TableRecognizer

CANARY = "Zebulon Quist"
KEYSET = Keyset.generate()


def table():
    return TableRecognizer({CANARY: EntityType.PERSON, "555 0142": EntityType.PHONE_NUMBER})


def failing():
    return FailingRecognizer()


def missing():
    raise KeysetError("the model is not there")


class Deadly:
    fingerprint = "deadly"

    def recognize(self, text):
        if "die" in text:
            os.kill(os.getpid(), signal.SIGKILL)
        return [Span(0, 1, EntityType.PERSON)] if text else []


def setup(recognizer=table):
    return ProtectorSpec("clinic", preset("soe-all"), recognizer)


def records(count):
    for i in range(count):
        yield Record(f"r{i}", {"a": f"{CANARY} called {i}", "b": f"at 555 0142, {CANARY}"})


def test_one_record():
    (outcome,) = protect_records(records(1), KEYSET, setup())
    assert outcome.counts == {EntityType.PERSON: 1, EntityType.PHONE_NUMBER: 1}
    assert CANARY not in str(outcome)
    restorer = Restorer(SivCipher(KEYSET, "clinic"))
    assert restorer.restore(outcome.fields["a"]) == f"{CANARY} called 0"


@pytest.mark.slow
def test_processes_give_what_one_process_gives_in_order():
    alone = list(protect_records(records(500), KEYSET, setup()))
    assert list(protect_records(records(500), KEYSET, setup(), workers=2)) == alone
    assert [o.id for o in alone] == [f"r{i}" for i in range(500)]


def test_records_are_read_while_outcomes_are_taken():
    read = []

    def counted():
        for record in records(1000):
            read.append(record.id)
            yield record

    outcomes = protect_records(counted(), KEYSET, setup())
    next(outcomes)
    assert len(read) == 1


@pytest.mark.slow
def test_processes_do_not_read_ahead_without_bound():
    read = []

    def counted():
        for record in records(5000):
            read.append(record.id)
            yield record

    outcomes = protect_records(counted(), KEYSET, setup(), workers=2)
    next(outcomes)
    assert len(read) <= 64 * 3 * 2
    outcomes.close()


def test_a_record_that_fails_tells_why_without_its_text():
    outcome, again = protect_records(records(2), KEYSET, setup(failing))
    assert isinstance(outcome, RecordOutcome)
    assert outcome.fields is None
    assert again.failure == outcome.failure
    assert CANARY not in str(outcome)
    assert "protecting" in outcome.failure or "recognising" in outcome.failure


@pytest.mark.slow
def test_records_that_end_every_worker_are_an_error():
    dying = [Record("1", {"a": "fine"}), Record("2", {"a": "die"})]
    with pytest.raises(SageRagError, match="3 worker processes ended"):
        list(protect_records(dying, KEYSET, setup(Deadly), workers=2))


@pytest.mark.slow
def test_a_worker_that_cannot_be_set_up_says_why():
    with pytest.raises(SageRagError, match="cannot be set up: the model is not there") as caught:
        list(protect_records(records(3), KEYSET, setup(missing), workers=2))
    assert caught.value.exit_code == KeysetError.exit_code


def test_it_takes_a_worker():
    with pytest.raises(ValueError, match="at least one"):
        protect_records([], KEYSET, setup(), workers=0)


def test_keys_never_travel_by_accident():
    with pytest.raises(TypeError, match="pickled"):
        pickle.dumps(KEYSET)


def test_records_and_outcomes_do_not_show_plain_text():
    assert CANARY not in repr(Record("1", {"a": CANARY}))


def _endless(tmp_path):
    """Start a run on two processes, in a process group of its own, and wait until it works."""
    script = tmp_path / "run.py"
    script.write_text(
        textwrap.dedent(
            """
            import signal, sys, time
            from sage_rag.privacy.batch import ProtectorSpec, Record, protect_records
            from sage_rag.privacy.keyset.keyset import Keyset
            from sage_rag.privacy.policy import preset
            from sage_rag.privacy.testing import TableRecognizer

            def table():
                return TableRecognizer({})

            def endless():
                n = 0
                while True:
                    n += 1
                    yield Record(str(n), {"a": "text"})

            if __name__ == "__main__":
                # A shell's background job is started deaf to it, and hands that down.
                signal.signal(signal.SIGINT, signal.default_int_handler)
                setup = ProtectorSpec("c", preset("soe-all"), table)
                for i, outcome in enumerate(protect_records(endless(), Keyset.generate(), setup, workers=2)):
                    if i == 0:
                        print("started", flush=True)
            """
        )
    )
    process = subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout.readline() == "started\n"
    return process


@pytest.mark.slow
def test_ctrl_c_leaves_no_process_behind(endless):
    os.killpg(endless.pid, signal.SIGINT)
    _, errors = endless.communicate(timeout=30)
    assert endless.returncode not in (0, None)
    assert errors.count("KeyboardInterrupt") <= 2
    assert not _left_of(endless.pid)


@pytest.mark.slow
def test_a_killed_parent_leaves_no_process_with_keys_behind(endless):
    endless.kill()
    endless.communicate(timeout=30)
    assert not _left_of(endless.pid)


@pytest.fixture
def endless(tmp_path):
    with _endless(tmp_path) as process:
        try:
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)  # nothing stays, whatever the test found


def _left_of(group):
    """Return what is alive of a process group, after five seconds at most."""
    until = time.monotonic() + 5
    while (left := _alive(group)) and time.monotonic() < until:
        time.sleep(0.05)
    return left


def _alive(group):
    """Return the processes of a group that have not ended; a zombie has."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, _, its_group = stat.read_text().rpartition(")")[2].split()[:3]
            if int(its_group) == group and state != "Z":
                found.append(stat.parent.name)
    return found
