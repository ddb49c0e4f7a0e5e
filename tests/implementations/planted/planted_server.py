"""A program of the serve protocol that shows the fault which a case's direction, or its argument, names."""

import base64
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

BEHAVIOUR = sys.argv[1] if len(sys.argv) > 1 else ""


def say(answer: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


def write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def tensor(name: str, values: list[int], **changes: Any) -> dict[str, Any]:
    data = base64.b64encode(bytes(values)).decode()
    return {"name": name, "dtype": "uint8", "shape": [len(values)], "data": data} | changes


def right(request: dict[str, Any]) -> dict[str, Any]:
    """Each output is the bytes of the model's magic: whether it came, and how many inputs are fed."""
    case = request["case"]
    model = base64.b64decode(request["model"])
    fed = [entry for entry in case["inputs"] if entry["name"] not in case["constants"]]
    values = [int(b"gatewise" in model), len(fed)]
    return {"type": "ran", "id": request["id"], "outputs": [tensor(name, values) for name in case["outputs"]]}


def flood_stderr() -> None:
    for _ in range(160):
        os.write(2, b"e" * 65535 + b"\n")
    os.write(2, b"the last word\n")


def flood_and_exit() -> None:
    flood_stderr()
    os._exit(4)


def close_stdout() -> None:
    os.close(1)
    time.sleep(3600)


def close_and_complain() -> None:
    os.close(1)
    time.sleep(0.2)
    os.write(2, b"late words")
    os._exit(6)


def leave_a_child() -> None:
    """Ends while a child of its own holds standard output open."""
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"])
    sys.stderr.write(f"pid {child.pid}\n")
    sys.stderr.flush()
    os._exit(5)


FAULTS: dict[str, Callable[[dict[str, Any]], object]] = {
    "garbage": lambda _: write("this is not JSON\n"),
    "binary": lambda _: os.write(1, b"\xff\xfe\x00\n"),
    "wrong id": lambda request: say(right(request) | {"id": request["id"] + 1}),
    "wrong type": lambda request: say({"type": "danced", "id": request["id"]}),
    "description": lambda request: say({"type": "description", "id": request["id"], "name": "again"}),
    "wrong length": lambda request: say(ran(request, shape=[7])),
    "negative size": lambda request: say(ran(request, shape=[-1, -2])),
    "no dtype": lambda request: say(ran(request, dtype="object")),
    "missing output": lambda request: say(right(request) | {"outputs": []}),
    "two lines": lambda request: write(json.dumps(right(request)) + "\n" + json.dumps(right(request)) + "\n"),
    "no end": lambda _: write("{"),
    "endless line": lambda _: endless(),
    "segfault": lambda _: os.kill(os.getpid(), signal.SIGSEGV),
    "exit": lambda _: os._exit(3),
    "real-time signal": lambda _: os.kill(os.getpid(), signal.SIGRTMIN + 1),
    "flood": lambda request: (flood_stderr(), say(right(request))),
    "flood and exit": lambda _: flood_and_exit(),
    "close": lambda _: close_stdout(),
    "close and complain": lambda _: close_and_complain(),
    "child": lambda _: leave_a_child(),
    "refuse": lambda request: say(
        {"type": "refused", "id": request["id"], "message": "no", "kind": "invalid", "reason": "direction"}
    ),
    "raise": lambda request: say({"type": "raised", "id": request["id"], "exception": "Oops", "message": "fell"}),
    "digests": lambda request: say(right(request) | {"digests": {"one": "d1", "two": "d2"}}),
}


def ran(request: dict[str, Any], **changes: Any) -> dict[str, Any]:
    names = request["case"]["outputs"]
    return right(request) | {"outputs": [tensor(name, [1, 2], **changes) for name in names]}


def endless() -> None:
    while True:
        sys.stdout.write("x" * 65536)


def describe(id_: int) -> None:
    if BEHAVIOUR == "slow start":
        time.sleep(1)
    if BEHAVIOUR == "never starts":
        time.sleep(3600)
    if BEHAVIOUR == "dies at start":
        sys.exit("the library is missing")
    if BEHAVIOUR == "cannot start":
        say({"type": "raised", "id": id_, "exception": "ImportError", "message": "no device found"})
    elif BEHAVIOUR == "refuses to start":
        say({"type": "refused", "id": id_, "message": "no"})
    elif BEHAVIOUR == "greets":
        write("Welcome!\n")
    else:
        say({"type": "description", "id": id_, "name": "planted", "versions": {"planted": "7"}, "decisions": ["D14"]})


def attribute(request: dict[str, Any], name: str) -> Any:
    return next((entry["value"] for entry in request["case"]["attributes"] if entry["name"] == name), None)


def main() -> None:
    if BEHAVIOUR == "deaf":
        describe(1)
        time.sleep(3600)
    for line in sys.stdin:
        request = json.loads(line)
        if request["type"] == "describe":
            describe(request["id"])
        else:
            FAULTS.get(attribute(request, "direction"), lambda request: say(right(request)))(request)
    if BEHAVIOUR == "lingers":
        time.sleep(3600)
    if len(sys.argv) > 2:
        time.sleep(0.3)
        Path(sys.argv[2]).write_text("ended by itself")


main()
