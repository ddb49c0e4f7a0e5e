"""Packed files: requests and answers of the serve protocol as one MessagePack list each, where there is no Python.

The messages are those of ``protocol``; tensors are MessagePack's bytes instead of base64. The first request is
``describe``, the others are the cases in order; an answer has the ``id`` of its request.
"""

from collections.abc import Sequence

import msgspec

from gatewise_corpus.case import Case
from gatewise_corpus.description import Description
from gatewise_corpus.outcome import Crashed, Raised, Ran, Refused
from gatewise_implementations.protocol import (
    Answer,
    DescribeRequest,
    DescriptionAnswer,
    ProtocolError,
    RunRequest,
    from_answer,
    from_description_answer,
    to_message,
)

_encoder = msgspec.msgpack.Encoder()
_answers_decoder = msgspec.msgpack.Decoder(list[Answer])


def pack_cases(cases: Sequence[Case]) -> bytes:
    """The requests that ask what runs there, and for the outputs of each case."""
    runs = [RunRequest(index, to_message(case)) for index, case in enumerate(cases, start=1)]
    return _encoder.encode([DescribeRequest(0), *runs])


def unpack_answers(data: bytes, count: int) -> tuple[Description, list[Ran | Refused | Raised | Crashed]]:
    """What ran, and the outcome of each of the ``count`` cases that were packed.

    Raises:
        ProtocolError: if the bytes are no answers, or not those to that many cases.
    """
    try:
        answers = _answers_decoder.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ProtocolError(f"it holds no packed answers ({error})") from error
    if [answer.id for answer in answers] != list(range(count + 1)):
        raise ProtocolError(f"it holds {len(answers)} answers, not the description and {count} more")
    description, *outcomes = answers
    if not isinstance(description, DescriptionAnswer):
        raise ProtocolError("its first answer does not say what ran")
    return from_description_answer(description), [from_answer(answer) for answer in outcomes]
