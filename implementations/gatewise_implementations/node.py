"""Packages of Node.js, tested by a program of the serve protocol in JavaScript that comes with gatewise.

gatewise speaks with that program itself: no Python runs beside it.
"""

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from gatewise_implementations.adapter import SetupError
from gatewise_implementations.options import Options

PROGRAM = Path(__file__).parent / "javascript" / "onnxruntime.mjs"
PROVIDERS: Mapping[str, Sequence[str]] = {"onnxruntime-node": ("cpu", "webgpu"), "onnxruntime-web": ("wasm",)}
"""The execution providers of each package, the default first."""
MODULES = Path("node_modules")
"""Where npm puts the packages of the current folder."""


def program_command(package: str, argument: str) -> tuple[str, ...]:
    """The command that serves ``package`` with the options ``modules=PATH`` and ``provider=NAME``.

    Raises:
        SetupError: if an option is unknown or has no such value, or Node.js or the package is missing.
    """
    options = Options(package, argument)
    modules = Path(options.text("modules", str(MODULES)))
    provider = options.choice("provider", PROVIDERS[package], PROVIDERS[package][0])
    options.finish()
    installed_version(package, modules)
    return ("node", str(PROGRAM), str(modules / package), provider)


def installed_version(package: str, modules: Path = MODULES) -> str:
    """The version of ``package`` in the folder ``modules``.

    Raises:
        SetupError: if Node.js or the package is missing.
    """
    if shutil.which("node") is None:
        raise SetupError(f"{package} needs Node.js, but there is no program 'node'")
    manifest = modules / package / "package.json"
    if not manifest.is_file():
        raise SetupError(f"{package} is not installed in {modules}; npm install --ignore-scripts {package}")
    return str(json.loads(manifest.read_text())["version"])
