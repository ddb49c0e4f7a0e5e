"""IREE on the CPU (llvm-cpu), through its ONNX importer; a compilation for each case, which takes seconds.

The compiler runs in this process, so that its death is the outcome of the case. What it says goes to standard error.
"""

from typing import Any

import numpy as np
from iree import runtime
from iree.compiler import ir
from iree.compiler.api import Output, Session, Source
from iree.compiler.extras import onnx_importer

from gatewise_corpus.case import Case
from gatewise_corpus.description import Description
from gatewise_corpus.onnx_model import feeds, to_model
from gatewise_corpus.outcome import Ran
from gatewise_implementations.adapter import RefusalError
from gatewise_implementations.options import Options
from gatewise_implementations.specs import distribution_version

DRIVER = "local-sync"
"""One thread, the caller's."""
FLAGS = ("--iree-input-type=onnx", "--iree-hal-target-backends=llvm-cpu", "--iree-llvmcpu-target-cpu=host")


class Iree:
    """The adapter."""

    def describe(self) -> Description:
        """What runs here."""
        return Description(
            name="iree",
            versions={"iree": distribution_version("iree-base-compiler")},
            settings={"backend": "llvm-cpu", "driver": DRIVER, "processor": "host"},
        )

    def run(self, case: Case) -> Ran:
        """The outputs of ``case``.

        Raises:
            RefusalError: if IREE does not import, compile or run the model.
        """
        model = onnx_importer.ModelInfo(to_model(case))
        program = _compile(_import(model))
        try:
            function = runtime.load_vm_flatbuffer(program, driver=DRIVER)[model.main_graph.graph_proto.name]
            results = function(*map(np.ascontiguousarray, feeds(case).values()))
        except (IndexError, RuntimeError, ValueError) as error:
            raise RefusalError(str(error)) from error
        if len(case.outputs) == 1:
            results = (results,)
        return Ran({name: result.to_host() for name, result in zip(case.outputs, results, strict=True)})


def make_adapter(argument: str) -> Iree:
    """The adapter, which has no options.

    Raises:
        SetupError: if there is one.
    """
    Options("iree", argument).finish()
    return Iree()


def _import(model: Any) -> str:
    """The model as MLIR."""
    module = model.create_module(context=ir.Context()).operation
    try:
        onnx_importer.NodeImporter.define_function(model.main_graph, module).import_all()
        module.verify()
    except (onnx_importer.OnnxImportError, ir.MLIRError) as error:
        raise RefusalError(f"IREE does not import the model: {error}") from error
    return str(module)


def _compile(text: str) -> bytes:
    session = Session()
    session.set_flags(*FLAGS)
    invocation = session.invocation()
    invocation.enable_console_diagnostics()
    if not (invocation.parse_source(Source.wrap_buffer(session, text.encode() + b"\0")) and invocation.execute()):
        raise RefusalError("IREE does not compile the model")
    output = Output.open_membuffer()
    invocation.output_vm_bytecode(output)
    return bytes(output.map_memory())
