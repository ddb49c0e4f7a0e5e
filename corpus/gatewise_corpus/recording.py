"""What a recorded runtime made of a case, and with what."""

import msgspec


class Recording(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One recorded run; the outputs themselves stand beside it as ``output_N.pb``.

    Attributes:
        runtime: name of the runtime, for instance "onnxruntime".
        version: its version.
        machine: microarchitecture and operating system.
        settings: how it was run, for instance "1 thread; weights as inputs".
        outcome: "ran", "refused", "raised", "crashed" or "timed out".
        detail: the runtime's message or the signal, where it did not run.
        transposed: whether the layout-0 form of the case was run and its outputs transposed (D28).
    """

    runtime: str
    version: str
    machine: str
    settings: str
    outcome: str
    detail: str = ""
    transposed: bool = False
