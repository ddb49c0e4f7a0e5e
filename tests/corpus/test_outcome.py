"""Digests are over canonical outputs."""

import numpy as np

from gatewise_corpus.outcome import canonical, digest


def nan_with_payload() -> np.ndarray:
    return np.array([0xFFC01234], np.uint32).view(np.float32)


def test_nans_become_the_one_of_exact_mode() -> None:
    """D24."""
    assert canonical(nan_with_payload()).view(np.uint32)[0] == 0x7FC00000
    assert canonical(nan_with_payload().astype(np.float16)).view(np.uint16)[0] == 0x7E00
    assert digest({"Y": nan_with_payload()}) == digest({"Y": np.array([np.nan], np.float32)})


def test_a_digest_tells_names_shapes_types_and_zeros_apart() -> None:
    Y = np.zeros((2, 3), np.float32)
    others = [
        digest({"Y_h": Y}),
        digest({"Y": Y.reshape(3, 2)}),
        digest({"Y": Y.view(np.int32)}),
        digest({"Y": -Y}),
        digest({"Y": Y, "Y_h": Y}),
    ]
    assert len({digest({"Y": Y}), *others}) == 6


def test_a_digest_does_not_depend_on_byte_order_memory_order_or_order_of_names() -> None:
    Y = np.arange(6, dtype=np.float32).reshape(2, 3)
    same = digest({"Y": Y, "Y_h": -Y})
    assert digest({"Y_h": -Y, "Y": Y}) == same
    assert digest({"Y": np.asfortranarray(Y), "Y_h": (-Y).astype(">f4")}) == same


def test_a_digest_is_this_value() -> None:
    """Worked out with hashlib by hand: b"Y float32 [1]\\n" and the four bytes of 1.0."""
    import hashlib

    expected = hashlib.sha256(b"Y float32 [1]\n" + bytes([0, 0, 0x80, 0x3F])).hexdigest()
    assert digest({"Y": np.array([1.0], np.float32)}) == expected
