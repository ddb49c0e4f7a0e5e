"""Misreadings: ways in which people and runtimes get these operators wrong, each a small change to the model.

The suite is held against them: every one must be noticed by the corpus (docs/score.md), and a wrong result is
explained by the one that gives it. docs/misreadings.md lists them.
"""

from gatewise_oracle.misreadings.biases import BIASES
from gatewise_oracle.misreadings.clips import CLIPS
from gatewise_oracle.misreadings.coupling import COUPLING
from gatewise_oracle.misreadings.directions import DIRECTIONS
from gatewise_oracle.misreadings.functions import FORMULAS
from gatewise_oracle.misreadings.gates import GATES
from gatewise_oracle.misreadings.layouts import LAYOUTS
from gatewise_oracle.misreadings.lengths import LENGTHS
from gatewise_oracle.misreadings.names import NAMES
from gatewise_oracle.misreadings.numbers import NUMBERS
from gatewise_oracle.misreadings.parameters import PARAMETERS
from gatewise_oracle.misreadings.peepholes import PEEPHOLES
from gatewise_oracle.misreadings.resets import RESETS
from gatewise_oracle.misreadings.sizes import SIZES
from gatewise_oracle.misreadings.states import STATES
from gatewise_oracle.misreadings.validation import VALIDATION
from gatewise_oracle.readings import Reading

SUBJECTS = {
    "gates and weights": GATES,
    "biases": BIASES,
    "the reset gate": RESETS,
    "peepholes": PEEPHOLES,
    "clip": CLIPS,
    "input_forget": COUPLING,
    "sequence_lens": LENGTHS,
    "initial and final states": STATES,
    "directions": DIRECTIONS,
    "layout and outputs": LAYOUTS,
    "activations": NAMES,
    "alpha and beta": PARAMETERS,
    "activation functions": FORMULAS,
    "numbers": NUMBERS,
    "sizes": SIZES,
    "validation": VALIDATION,
}
"""The misreadings by subject."""

MISREADINGS: tuple[Reading, ...] = tuple(reading for subject in SUBJECTS.values() for reading in subject)
"""All misreadings; each name is unique."""

BY_NAME = {reading.name: reading for reading in MISREADINGS}
