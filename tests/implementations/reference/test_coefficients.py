"""The committed constants are those that their script derives."""

import subprocess
import sys
from pathlib import Path

REFERENCE = Path(__file__).parents[3] / "implementations" / "reference"


def test_the_header_is_what_the_script_prints() -> None:
    script = REFERENCE / "tools" / "coefficients.py"
    printed = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True).stdout
    assert printed.count("#define GW_EXPM1_") == 10
    assert printed == (REFERENCE / "kernels" / "coefficients.h").read_text()
