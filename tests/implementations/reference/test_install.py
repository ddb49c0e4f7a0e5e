"""The C library installed for other projects: found by CMake and by pkg-config, and by a C++ compiler."""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from function_samples import REFERENCE

EXAMPLE = REFERENCE / "example"
EXPECTED = "0.462117165 -0.800292671\n"  # tanh(1/2), and tanh(-13/32 - 3/2 * tanh(1/2)) of the rounded one


@pytest.fixture(scope="module", params=["static", "shared"])
def prefix(
    request: pytest.FixtureRequest, build: Callable[..., None], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Where the library is installed."""
    folder = tmp_path_factory.mktemp(request.param)
    shared = "ON" if request.param == "shared" else "OFF"
    installed = folder / "installed"
    where = (f"CMAKE_INSTALL_PREFIX={installed}", "CMAKE_INSTALL_LIBDIR=lib")
    build(folder / "build", f"BUILD_SHARED_LIBS={shared}", *where, targets=["install"])
    return installed


def ran(program: Path, prefix: Path) -> str:
    environment = {"LD_LIBRARY_PATH": str(prefix / "lib")}
    return subprocess.run([program], capture_output=True, text=True, check=True, env=environment).stdout


def pkg_config(prefix: Path, *words: str) -> list[str]:
    found = shutil.which("pkg-config")
    if found is None:
        pytest.skip("pkg-config is not installed; Debian's package pkg-config has it")
    environment = {"PKG_CONFIG_PATH": str(prefix / "lib" / "pkgconfig")}
    command = [found, *words, "gatewise_reference"]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout.split()


def test_cmake_finds_it(prefix: Path, build: Callable[..., None], tmp_path: Path) -> None:
    build(tmp_path, f"CMAKE_PREFIX_PATH={prefix}", source=EXAMPLE)
    assert ran(tmp_path / "example", prefix) == EXPECTED


def test_cmake_refuses_another_minor_version(prefix: Path, tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20...4.2)\nproject(other LANGUAGES C)\n"
        "find_package(gatewise_reference 0.99 REQUIRED)\n"
    )
    command = [Path(sys.executable).with_name("cmake"), f"-DCMAKE_PREFIX_PATH={prefix}", "."]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert re.search(r"gatewise_reference-config.cmake, version: 0\.\d+\.\d+", done.stderr)


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_pkg_config_finds_it(prefix: Path, tmp_path: Path, compiler: str) -> None:
    found = shutil.which(compiler)
    if found is None:
        pytest.skip(f"{compiler} is not installed")
    flags = ["-Wall", "-Wextra", "-Wconversion", "-Werror", *pkg_config(prefix, "--cflags", "--libs")]
    subprocess.run([found, EXAMPLE / "example.c", *flags, "-o", tmp_path / "example"], check=True)
    assert ran(tmp_path / "example", prefix) == EXPECTED


def test_its_version_is_the_project_s(prefix: Path) -> None:
    version = re.search(r"VERSION (\d+\.\d+\.\d+)", (REFERENCE / "CMakeLists.txt").read_text())
    assert version is not None
    assert pkg_config(prefix, "--modversion") == [version[1]]


def test_the_header_is_c_plus_plus_too(prefix: Path, tmp_path: Path) -> None:
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("g++ is not installed")
    (tmp_path / "host.cpp").write_text(
        "#include <gatewise.h>\n#include <cstdio>\nint main() { std::puts(gw_function_name(GW_FUNCTION_TANH)); }\n"
    )
    flags = ["-std=c++17", "-Wall", "-Wextra", "-Werror", *pkg_config(prefix, "--cflags", "--libs")]
    subprocess.run([compiler, tmp_path / "host.cpp", *flags, "-o", tmp_path / "host"], check=True)
    assert ran(tmp_path / "host", prefix) == "tanh\n"


def test_nothing_but_the_interface_is_installed_and_exported(prefix: Path) -> None:
    installed = {path.relative_to(prefix).as_posix() for path in prefix.rglob("*") if path.is_file()}
    libraries = {name for name in installed if name.startswith("lib/libgatewise_reference.")}
    assert libraries
    assert {re.sub(r"-(release|noconfig)", "", name) for name in installed - libraries} == {
        "include/gatewise.h",
        "lib/cmake/gatewise_reference/gatewise_reference-config-version.cmake",
        "lib/cmake/gatewise_reference/gatewise_reference-config.cmake",
        "lib/cmake/gatewise_reference/gatewise_reference-targets.cmake",
        "lib/pkgconfig/gatewise_reference.pc",
    }
    if "lib/libgatewise_reference.so" not in libraries:
        return
    listed = subprocess.run(
        [shutil.which("nm") or "nm", "--dynamic", "--defined-only", prefix / "lib" / "libgatewise_reference.so"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    exported = {line.split()[-1] for line in listed.splitlines()}
    declared = set(
        re.findall(r"^GW_API .*?\b(gw_\w+)\(", (REFERENCE / "include/gatewise.h").read_text(), re.MULTILINE)
    )
    assert exported == declared


def test_the_documentation_shows_the_example() -> None:
    text = (REFERENCE.parents[1] / "docs" / "c-library.md").read_text()
    assert f"```c\n{(EXAMPLE / 'example.c').read_text()}```" in text
    assert f"```cmake\n{(EXAMPLE / 'CMakeLists.txt').read_text()}```" in text
