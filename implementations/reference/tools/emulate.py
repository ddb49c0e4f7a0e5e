"""Sets up, builds and runs emulated machines, and writes the hash report of each.

A machine is a processor that qemu emulates in user mode, and Debian's cross compiler for it. Its runner is linked
statically, so that it starts without the machine's own libraries and may be copied to a real one.

    python implementations/reference/tools/emulate.py --install s390x haswell
"""

import fcntl
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

import click

ROOT = Path(__file__).parents[3]
BUILD = ROOT / "build" / "emulated"
REPORTS = ROOT / "reports" / "machines"
THREADS = "1,2,3"
"""The numbers of threads that a report tells of."""
REQUESTS = 50
"""After how many requests a runner is started again: qemu slows down with every thread that it has ever started."""
TIME_LIMIT = "120"
"""Seconds for one case: an emulated processor is slow, and the machine under it may be busy."""


@dataclass(frozen=True)
class Machine:
    """An emulated machine.

    Attributes:
        name: as the command line and the report's file name it.
        triplet: of the compiler's programs.
        library: Debian's name of the architecture, in that of the package of its C library.
        processor: the architecture as ``uname -m`` names it, which the build goes by.
        cpu: the processor's model as qemu names it; "max" and "qemu" are no model but all that qemu can do.
        without: features of the model that qemu cannot emulate and would warn of in every thread.
        paths: the kernel paths that it runs, narrowest first.
        big_endian: whether it stores the most significant byte first.
    """

    name: str
    triplet: str
    library: str
    processor: str
    cpu: str
    paths: tuple[str, ...] = ("scalar",)
    without: tuple[str, ...] = ()
    big_endian: bool = False

    @property
    def compiler(self) -> str:
        """The C compiler."""
        return f"{self.triplet}-gcc"

    @property
    def emulator(self) -> str:
        """The program that emulates it."""
        return f"qemu-{ {'i686': 'i386', 'armv7l': 'arm'}.get(self.processor, self.processor) }"

    @property
    def folder(self) -> Path:
        """Where it is built."""
        return BUILD / self.triplet

    @contextmanager
    def building(self, *, wait: bool = True) -> Iterator[None]:
        """Keeps other processes from building in its folder, which machines of one compiler share.

        Raises:
            BlockingIOError: if another process builds there and this one shall not ``wait``.
        """
        BUILD.mkdir(parents=True, exist_ok=True)
        with self.folder.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield

    def missing(self) -> list[str]:
        """The Debian packages to install first."""
        compiler = [f"gcc-{self.triplet.replace('_', '-')}", f"libc6-dev-{self.library}-cross"]
        return [
            *(compiler if shutil.which(self.compiler) is None else []),
            *(["qemu-user"] if shutil.which(self.emulator) is None else []),
        ]

    def command(self, program: str, *arguments: str) -> list[str]:
        """What runs one of its programs here."""
        cpu = ",".join([self.cpu, *(f"-{feature}" for feature in self.without)])
        return [self.emulator, "-cpu", cpu, os.path.relpath(self.folder / program), *arguments]

    def definitions(self) -> list[str]:
        """What CMake must know to build for it."""
        return [
            f"CMAKE_C_COMPILER={self.compiler}",
            "CMAKE_SYSTEM_NAME=Linux",
            f"CMAKE_SYSTEM_PROCESSOR={self.processor}",
            "CMAKE_EXE_LINKER_FLAGS=-static",
        ]

    def runner(self) -> list[str]:
        """What runs its runner here, as the report tells of it."""
        version = subprocess.run([self.emulator, "--version"], capture_output=True, text=True, check=True).stdout
        model = [] if self.cpu in {"max", "qemu"} else ["--machine", self.cpu.lower()]
        emulator = f"{self.emulator} {version.split()[2]}"
        return self.command("tools/runner", "--threads", THREADS, *model, "--emulator", emulator)

    def spec(self) -> str:
        """The SPEC of its runner."""
        return (
            f"serve:{shlex.join([os.path.relpath(sys.executable), os.path.relpath(__file__), '--serve', self.name])}"
        )


_X86_64 = ("x86_64-linux-gnu", "amd64", "x86_64")
MACHINES = {
    machine.name: machine
    for machine in (
        Machine("aarch64", "aarch64-linux-gnu", "arm64", "aarch64", "cortex-a72", ("scalar", "neon")),
        Machine("armhf", "arm-linux-gnueabihf", "armhf", "armv7l", "cortex-a15"),
        Machine("riscv64", "riscv64-linux-gnu", "riscv64", "riscv64", "rv64"),
        Machine("s390x", "s390x-linux-gnu", "s390x", "s390x", "qemu", big_endian=True),
        Machine("ppc64el", "powerpc64le-linux-gnu", "ppc64el", "ppc64le", "power9"),
        Machine("i386", "i686-linux-gnu", "i386", "i686", "max", ("scalar", "sse2", "avx2")),
        Machine("nehalem", *_X86_64, "Nehalem", ("scalar", "sse2")),
        Machine(
            "haswell",
            *_X86_64,
            "Haswell",
            ("scalar", "sse2", "avx2"),
            without=("pcid", "x2apic", "tsc-deadline", "hle", "invpcid", "rtm"),
        ),
        Machine("qemu64", *_X86_64, "qemu64", ("scalar", "sse2")),
    )
}


class EmulationError(Exception):
    """A machine that cannot be set up, built or run; the message is one sentence."""


def install(packages: Sequence[str]) -> None:
    """Installs Debian packages.

    Raises:
        EmulationError: if apt cannot.
    """
    root = [] if os.geteuid() == 0 else ["sudo", "--non-interactive"]
    environment = ["env", "DEBIAN_FRONTEND=noninteractive"]
    for words in (["update"], ["install", "--yes", "--no-install-recommends", *packages]):
        _run([*root, *environment, "apt-get", "--quiet", *words], f"apt-get {shlex.join(words)}")


def build(machine: Machine) -> None:
    """Builds the machine's runner and the filter of the functions, or what of them has changed.

    Raises:
        EmulationError: if a package is missing or the build fails.
    """
    if missing := machine.missing():
        raise EmulationError(f"{machine.name} needs {' '.join(missing)}; --install installs them")
    source, folder = str(ROOT / "implementations" / "reference"), str(machine.folder)
    cmake = str(Path(sys.executable).with_name("cmake"))
    options = [f"-D{given}" for given in (*machine.definitions(), "GATEWISE_TOOLS=ON", "GATEWISE_WERROR=ON")]
    targets = ["--parallel", "2", "--target", "runner", "evaluate"]
    with machine.building():
        _run([cmake, "-S", source, "-B", folder, *options], f"the set-up of the build of {machine.name}")
        _run([cmake, "--build", folder, *targets], f"the build of {machine.name}")


def serve(machine: Machine, requests: Iterable[bytes], answers: BinaryIO) -> None:
    """Answers each line of ``requests`` as the machine's runner does.

    Raises:
        EmulationError: if the runner ends before its input does.
    """
    runner: subprocess.Popen[bytes] | None = None
    for count, line in enumerate(requests):
        if runner is None or count % REQUESTS == 0:
            if runner:
                runner.communicate()
            runner = subprocess.Popen(machine.runner(), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        to_runner, from_runner = cast("BinaryIO", runner.stdin), cast("BinaryIO", runner.stdout)
        to_runner.write(line)
        to_runner.flush()
        answer = from_runner.readline()
        if not answer:
            raise EmulationError(f"the runner of {machine.name} ended with exit code {runner.wait()}")
        answers.write(answer)
        answers.flush()
    if runner:
        runner.communicate()


def _run(command: Sequence[str], what: str) -> None:
    """Runs a command that is silent unless it fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise EmulationError(f"{what} needs {command[0]}, which cannot be started ({error.strerror})") from error
    if done.returncode:
        click.echo(done.stdout + done.stderr, err=True)
        raise EmulationError(f"{what} failed with exit code {done.returncode}; its messages stand above")


@click.command()
@click.argument("names", nargs=-1, type=click.Choice(list(MACHINES)), metavar="[MACHINE]...")
@click.option("--install", "installs", is_flag=True, help="Install the packages that are missing.")
@click.option("--serve", "serves", is_flag=True, help="Answer the serve protocol as the one MACHINE, which is built.")
@click.option("--set-up-only", is_flag=True, help="Neither build nor run.")
@click.option(
    "--reports",
    type=click.Path(path_type=Path, file_okay=False),
    default=REPORTS,
    help="Folder of the reports; reports/machines by default.",
)
def main(*, names: tuple[str, ...], installs: bool, serves: bool, set_up_only: bool, reports: Path) -> None:
    """Set up, build and run emulated machines, by default all, and write the hash report of each.

    \b
    Examples:
      emulate.py --install s390x haswell
      gatewise gate -i 'serve:.venv/bin/python implementations/reference/tools/emulate.py --serve s390x'
    """
    if serves and len(names) != 1:
        raise click.UsageError("--serve needs the name of one machine")
    machines = [MACHINES[name] for name in names] or list(MACHINES.values())
    reports = reports.absolute()
    os.chdir(ROOT)  # so that no SPEC and no report names a folder of this machine
    try:
        missing = sorted({package for machine in machines for package in machine.missing()})
        if installs and missing:
            install(missing)
        if serves:
            serve(machines[0], sys.stdin.buffer, sys.stdout.buffer)
            return
        codes = [_report(machine, reports) for machine in machines if not set_up_only]
    except EmulationError as error:
        raise click.UsageError(str(error)) from error
    sys.exit(max(codes, default=0))


def _report(machine: Machine, reports: Path) -> int:
    """Writes the report of one machine; the exit code of ``gatewise hash``."""
    build(machine)
    reports.mkdir(parents=True, exist_ok=True)
    gatewise = str(Path(sys.executable).with_name("gatewise"))
    report = os.path.relpath(reports / f"{machine.name}.json")
    command = ["hash", "-i", machine.spec(), "--time-limit", TIME_LIMIT, "-o", report]
    click.echo(f"{machine.name}: {shlex.join(['gatewise', *command])}")
    return subprocess.run([gatewise, *command], check=False).returncode


if __name__ == "__main__":
    main()
