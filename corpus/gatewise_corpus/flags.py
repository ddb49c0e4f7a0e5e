"""The flags that a case can carry: what kind of trouble it looks for."""

from types import MappingProxyType

FLAGS = MappingProxyType(
    {
        "activations": "an activation's formula, parameters or cursor",
        "empty": "a dimension of size 0",
        "exact-sums": "powers of two whose sums are exact in any order",
        "extreme": "magnitudes near the ends of float32",
        "invalid": "must be refused",
        "lengths": "rows of different lengths",
        "long": "more than 32 steps",
        "nan": "a NaN in an input or attribute",
        "infinity": "an infinity in an input or attribute",
        "options": "a combination of attributes, inputs and outputs",
        "precision": "a floating-point type other than float32",
        "report": "a fault that was reported in public",
        "sizes": "a size next to a vector width or a tile edge",
        "signed-zero": "a negative zero in an input",
        "subnormal": "subnormal numbers in an input or result",
    }
)
