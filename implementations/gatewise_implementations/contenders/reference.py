"""The C reference: ``gw_run`` on a ready plan and workspace."""

from dataclasses import replace

from gatewise_corpus.case import Case
from gatewise_corpus.description import Description
from gatewise_implementations.adapter import SetupError
from gatewise_implementations.contenders.contender import Prepared
from gatewise_implementations.reference import Reference, make_adapter
from gatewise_implementations.reference_library import Plan


class ReferenceContender:
    """The reference on one kernel path, in one mode."""

    def __init__(self, adapter: Reference) -> None:
        self._adapter = adapter
        self._configuration = adapter.configurations[-1]  # where no path is named, of the widest

    def describe(self) -> Description:
        """The adapter's description, with the one kernel path that is timed."""
        description = self._adapter.describe()
        settings = {name: value for name, value in description.settings.items() if name != "configurations"}
        return replace(description, settings={"kernel_path": self._configuration.kernel_path, **settings})

    def prepare(self, case: Case, threads: int) -> Prepared:
        """Makes a plan and a workspace, and the pointers of a run."""
        workspace = Plan(case, self._configuration.kernel_path, self._adapter.mode).workspace(threads)
        run = workspace.prepare(case.inputs)
        return Prepared(run.call, lambda: run.outputs, plan_bytes=workspace.plan.bytes, run_bytes=workspace.bytes)


def make_contender(argument: str) -> ReferenceContender:
    """The contender with the adapter's options, but for the number of threads.

    Raises:
        SetupError: as the adapter's ``make_adapter``, or if ``threads`` is given.
    """
    if any(item.partition("=")[0] == "threads" for item in argument.split(",")):
        raise SetupError("reference: threads is no option of a contender; --threads N sets it for all")
    return ReferenceContender(make_adapter(argument))
