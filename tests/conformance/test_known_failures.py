from pathlib import Path

import numpy as np
import pytest

from gatewise.judgement import Judgement
from gatewise.known_failures import (
    SHIPPED,
    Known,
    KnownFailures,
    KnownFailuresError,
    Listed,
    Match,
    NamedCase,
    load_known_failures,
)
from gatewise_corpus.case import Case
from gatewise_corpus.recipes.recipe import Sizes, draw

WRONG = Judgement("wrong")


def load(tmp_path: Path, text: str) -> KnownFailures:
    path = tmp_path / "known.toml"
    path.write_text(text)
    return load_known_failures([path])


def entry(when: str, verdict: str = '"wrong"', more: str = "") -> str:
    return f'[[known]]\nreason = "it is known"\nverdict = {verdict}\nwhen = {{ {when} }}\n{more}\n'


@pytest.mark.parametrize(
    ("when", "fits"),
    [
        ('operator = "RNN"', True),
        ('operator = "GRU"', False),
        ('operator = ["GRU", "RNN"]', True),
        ('sequence_lens = "!absent"', True),
        ('sequence_lens = "!mixed"', False),
        ('outputs = "*Y_h*"', True),
        ("batch = 3", True),
        ("batch = 2", False),
        ('batch = "> 2"', True),
        ('batch = ">= 3"', True),
        ('batch = ">= 4"', False),
        ('batch = "< 3"', False),
        ('hidden = ["< 5", "> 8"]', False),
        ('hidden = ["<= 5", "> 8"]', True),
        ('name = "rnn/*"', True),
        ('name = "lstm/*"', False),
        ('refuse = "none"', True),
        ('refuse = "!none"', False),
        ('refuse = ["layout*", "shape"]', False),
        ('operator = "RNN", batch = 3, clip = "absent"', True),
        ('operator = "RNN", batch = 3, clip = "zero"', False),
    ],
)
def test_which_cases_an_entry_is_about(tmp_path: Path, rnn: Case, when: str, fits: bool) -> None:
    known = load(tmp_path, entry(when))
    assert known.match("rnn/x", rnn, WRONG) == (Match((0,), (0,)) if fits else Match())


@pytest.mark.parametrize(("when", "fits"), [("hidden-size-mismatch", True), ("hidden-size", False), ("none", False)])
def test_the_rule_that_a_case_breaks(tmp_path: Path, rnn: Case, when: str, fits: bool) -> None:
    known = load(tmp_path, entry(f'refuse = "{when}"', '"accepted"'))
    match = known.match("rnn/x", rnn.replace(attributes={"hidden_size": 77}), Judgement("accepted"))
    assert bool(match.telling) == fits


def test_sizes_that_a_case_does_not_tell_fit_no_comparison() -> None:
    case = Case("RNN", 14, {}, {"X": np.zeros(3, np.float32)}, ("Y",))
    assert not NamedCase("x", case).fits("seq", ">= 0")


@pytest.mark.parametrize(
    ("judgement", "expected", "told"),
    [
        (Judgement("wrong"), ('"wrong"', ""), True),
        (Judgement("crashed"), ('"wrong"', ""), False),
        (Judgement("crashed"), ('["wrong", "crashed"]', ""), True),
        (Judgement("pass"), ('"wrong"', ""), False),
        (Judgement("deviates", "D03"), ('"deviates"', "D03"), True),
        (Judgement("deviates", "D03, D05"), ('"deviates"', "D05"), False),
        (Judgement("deviates", "D05"), ('"deviates"', "D03"), False),
    ],
)
def test_which_failures_an_entry_tells_of(
    tmp_path: Path, rnn: Case, judgement: Judgement, expected: tuple[str, str], told: bool
) -> None:
    verdict, decision = expected
    known = load(tmp_path, entry('operator = "RNN"', verdict, f'decision = "{decision}"'))
    match = known.match("rnn/x", rnn, judgement)
    assert match.about == (0,)
    assert bool(match.telling) == told
    assert known.reason(match) == ("it is known" if told else "")


def test_the_reason_carries_its_link(tmp_path: Path, rnn: Case) -> None:
    known = load(tmp_path, entry('operator = "RNN"', more='link = "https://example.org/1"'))
    assert known.reason(known.match("rnn/x", rnn, WRONG)) == "it is known (https://example.org/1)"


def test_stale_entries(tmp_path: Path, rnn: Case) -> None:
    text = entry('operator = "RNN"') + entry('operator = "RNN"', '"crashed"') + entry('operator = "GRU"')
    known = load(tmp_path, text)
    known.count(known.match("rnn/x", rnn, WRONG))
    known.count(known.match("rnn/y", rnn, Judgement("pass")))
    found = [(stale.file, stale.entry, stale.why) for stale in known.stale(with_shipped=False)]
    assert found == [
        ("known.toml", 2, "no case that it matches fails in this way"),
        ("known.toml", 3, "it matches no case"),
    ]


def test_only_the_whole_corpus_tells_that_a_shipped_entry_is_stale(tmp_path: Path) -> None:
    own = tmp_path / "known.toml"
    own.write_text(entry('operator = "RNN"'))
    known = load_known_failures([own], "onnxruntime")
    assert [stale.file for stale in known.stale(with_shipped=False)] == ["known.toml"]
    files = [stale.file for stale in known.stale(with_shipped=True)]
    assert files == ["onnxruntime.toml"] * (len(known.entries) - 1) + ["known.toml"]


def test_a_list_extends_one_that_comes_with_gatewise(tmp_path: Path) -> None:
    known = load(tmp_path, 'extends = "onnxruntime"\n' + entry('operator = "RNN"'))
    inherited = load_known_failures([], "onnxruntime")
    assert known.entries[:-1] == inherited.entries
    assert (known.entries[-1].file, known.entries[-1].number, known.entries[-1].shipped) == ("known.toml", 1, False)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('extends = "nobody"', r"known\.toml: extends = 'nobody', but gatewise brings no other list so named"),
        ("known = 3", r"known\.toml: Expected `array`"),
        ("[[known]]\n", r"known\.toml: Object missing required field `reason`"),
        ("[[known]", r"known\.toml: "),
        (entry('operator = "RNN"', more="link_ = 3"), "unknown field `link_`"),
        (entry(""), "entry 1: when is empty"),
        (entry('operator = "RNN"') + entry('colour = "red"'), "entry 2: 'colour' is neither name, refuse, a size"),
        (entry('batch = "three"'), "entry 1: batch = 'three', but a size is compared as 3, '< 3'"),
        (entry('refuse = "layuot"'), "entry 1: refuse = 'layuot', but no rule has such an id; they are operator,"),
        (entry('operator = "RNN"', '"fine"'), "Invalid enum value 'fine'"),
        (entry('operator = "RNN"', '"pass"'), "entry 1: the verdict must be one that is a finding"),
        (entry('operator = "RNN"', "[]"), "entry 1: the verdict must be one that is a finding"),
    ],
)
def test_a_list_that_makes_no_sense_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(KnownFailuresError, match=message):
        load(tmp_path, text)


def test_a_list_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(KnownFailuresError, match="cannot be read"):
        load_known_failures([tmp_path / "none.toml"])


@pytest.mark.parametrize("name", ["nobody", "backend:../onnxruntime", "../known_failures/onnxruntime", ""])
def test_an_implementation_without_a_list_has_none(name: str) -> None:
    assert load_known_failures([], name).entries == []


@pytest.mark.parametrize("name", sorted(path.stem for path in SHIPPED.glob("*.toml")))
def test_every_shipped_list_can_be_read(name: str) -> None:
    known = load_known_failures([], name)
    assert known.entries
    assert all(listed.shipped for listed in known.entries)
    assert {listed.file for listed in known.entries} <= {f"{name}.toml", "onnxruntime.toml"}


def test_a_deviation_on_two_decisions_is_known_where_entries_tell_of_both() -> None:
    def listed(number: int, decision: str) -> Listed:
        return Listed("f", number, Known(f"reason {number}", "deviates", {"operator": "GRU"}, decision=decision))

    case = draw("known-two", "GRU", Sizes(2, 3, 4, 5))
    both = KnownFailures([listed(1, "D03"), listed(2, "D14")])
    judgement = Judgement("deviates", "D03, D14")
    assert both.match("x", case, judgement).telling == (0, 1)
    assert both.reason(both.match("x", case, judgement)) == "reason 1; reason 2"
    assert both.match("x", case, Judgement("deviates", "D14")).telling == (1,)
    one = KnownFailures([listed(1, "D03")])
    assert one.match("x", case, judgement).telling == ()
    assert one.match("x", case, judgement).about == (0,)
    assert KnownFailures([listed(1, "")]).match("x", case, judgement).telling == (0,)
