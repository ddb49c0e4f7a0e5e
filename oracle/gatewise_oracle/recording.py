"""The recorder: what a runtime makes of a case, kept beside it as a second opinion on the model (D01)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from gatewise_corpus.case import Array, Case
from gatewise_corpus.description import Description
from gatewise_corpus.layer import output_to_layout, read_layer, turned
from gatewise_corpus.machine import this_machine
from gatewise_corpus.outcome import Crashed, Outcome, Raised, Ran, Refused, TimedOut
from gatewise_corpus.recording import Recording
from gatewise_corpus.refusal import RefusedError


@dataclass(frozen=True, eq=False)
class Recorded:
    """What a runtime made of a case: the record, and the outputs by name in the case's layout where it ran."""

    recording: Recording
    outputs: Mapping[str, Array] = field(default_factory=dict)


def record(case: Case, run: Callable[[Case], Outcome], runtime: Description) -> Recorded:
    """Runs ``case`` with ``run`` and tells what came of it; ``runtime`` describes what ``run`` runs.

    The weights are fed as inputs, because with constants a runtime may compute something else while it loads
    the model (D32). A valid case of layout 1 is run as its layout-0 form, and its outputs turned back: the runtime
    that is recorded refuses the attribute (D28). Nothing else is rewritten: a refusal is the record.
    """
    transposed = _is_valid_layout_1(case)
    asked = case.replace(constants=frozenset())
    outcome = run(_to_layout_0(asked) if transposed else asked)
    word, detail = _told(outcome)
    recording = Recording(
        runtime=runtime.name,
        version=runtime.versions.get(runtime.name, "unknown"),
        machine=this_machine().label,
        settings="; ".join([*(f"{key} {value}" for key, value in runtime.settings.items()), "weights as inputs"]),
        outcome=word,
        detail=detail,
        transposed=transposed,
    )
    if not isinstance(outcome, Ran):
        return Recorded(recording)
    layout = 1 if transposed else 0
    outputs = {name: output_to_layout(name, array, layout) for name, array in outcome.outputs.items()}
    return Recorded(recording, {name: np.ascontiguousarray(array) for name, array in outputs.items()})


def _is_valid_layout_1(case: Case) -> bool:
    try:
        return read_layer(case).attributes.layout == 1
    except RefusedError:
        return False


def _to_layout_0(case: Case) -> Case:
    arrays = {name: np.ascontiguousarray(turned(name, array)) for name, array in case.inputs.items()}
    return case.replace(inputs=arrays).with_attributes(layout=None)


def _told(outcome: Outcome) -> tuple[str, str]:
    """The outcome in the words of a recording: what came of it, and the detail."""
    match outcome:
        case Ran():
            return "ran", ""
        case Refused(message):
            return "refused", message
        case Raised(exception, message):
            return "raised", f"{exception}: {message}"
        case Crashed(how):
            return "crashed", how
        case TimedOut(seconds):
            return "timed out", f"after {seconds:g} seconds"
