"""Starts the worker in another environment: ``/path/to/python other_python.py CORPUS SPEC``.

That environment needs no gatewise. The two packages that a worker is made of are taken from this installation, each
from its own folder and nothing beside it: a numpy that stands there would mix with the one that is installed here.
"""

import sys
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path

OLDEST = (3, 11)
NEEDS = {"archspec": "archspec", "ml_dtypes": "ml-dtypes", "msgspec": "msgspec", "numpy": "numpy", "onnx": "onnx"}
"""What the worker imports beside the runtime: modules and the distributions that bring them."""


def main() -> None:
    """Serves the adapter of SPEC; CORPUS is the folder of the package gatewise_corpus."""
    here = Path(__file__).resolve().parent
    # Python puts a script's folder first, where adapters have the names of their runtimes.
    sys.path[:] = [entry for entry in sys.path if Path(entry).resolve() != here]
    problem = _what_is_missing()
    if problem:
        sys.exit(f"{sys.executable} {problem}")
    _import_package("gatewise_corpus", Path(sys.argv.pop(1)))
    _import_package("gatewise_implementations", here)
    import_module("gatewise_implementations.worker").main()


def _what_is_missing() -> str:
    if sys.version_info < OLDEST:
        return f"is Python {sys.version.split()[0]}, but a worker needs {'.'.join(map(str, OLDEST))} or newer"
    lacking = [distribution for module, distribution in NEEDS.items() if find_spec(module) is None]
    return f"lacks what a worker needs; pip install {' '.join(lacking)}" if lacking else ""


def _import_package(name: str, folder: Path) -> None:
    spec = spec_from_file_location(name, folder / "__init__.py", submodule_search_locations=[str(folder)])
    if spec is None or spec.loader is None:
        raise ImportError(f"package {name} cannot be imported from {folder}")
    sys.modules[name] = package = module_from_spec(spec)
    spec.loader.exec_module(package)


if __name__ == "__main__":
    main()
