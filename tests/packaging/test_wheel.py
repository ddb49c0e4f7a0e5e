"""The built wheel, in an environment that has nothing else, gates from any folder."""

import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from gatewise_corpus.store import load_entries

ROOT = Path(__file__).parents[2]

pytestmark = [pytest.mark.packaging, pytest.mark.timeout(900)]


def run(*command: str | Path, cwd: Path) -> str:
    finished = subprocess.run([*map(str, command)], cwd=cwd, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT, cwd=folder)
    (path,) = folder.glob("gatewise-*.whl")
    return path


def test_one_wheel_serves_every_python_from_3_11(wheel: Path) -> None:
    assert "-cp311-abi3-" in wheel.name


def test_the_wheel_holds_the_whole_corpus(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    cases = {Path(name).parent.as_posix() for name in names if name.endswith("case.toml")}
    assert cases == {f"gatewise_corpus/cases/{entry.name}" for entry in load_entries()}
    assert "gatewise_corpus/cases/exact-hashes.txt" in names
    assert not [name for name in names if name.startswith("tests")]


def test_the_wheel_holds_the_shaders(wheel: Path) -> None:
    names = {Path(name).name for name in zipfile.ZipFile(wheel).namelist() if name.endswith(".wgsl")}
    kernels = ROOT / "implementations" / "gatewise_implementations" / "webgpu" / "kernels"
    assert names == {path.name for path in kernels.iterdir()} > {"project.wgsl", "mask.wgsl"}


def test_the_gate_passes_in_an_empty_environment(wheel: Path, tmp_path: Path) -> None:
    environment = tmp_path / "environment"
    venv.create(environment, with_pip=True)
    python = environment / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", wheel, cwd=tmp_path)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    told = run(environment / "bin" / "gatewise", "gate", "--examples", "20", "--seed", "1", cwd=elsewhere)
    assert f"of {len(load_entries()) + 20}\n" in told
    assert "results, all as expected in" in told
    assert list(elsewhere.iterdir()) == []
    listed = run(environment / "bin" / "gatewise", "corpus", "list", "rnn/smallest", cwd=elsewhere)
    assert "rnn/smallest" in listed
    run(
        environment / "bin" / "gatewise",
        "matrix",
        "-i",
        "reference",
        "--only",
        "rnn/smallest",
        "-o",
        ".",
        cwd=elsewhere,
    )
    assert (elsewhere / "index.html").read_text(encoding="utf-8").startswith("<!doctype html>")
