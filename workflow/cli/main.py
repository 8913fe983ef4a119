"""The console script `exact-census`: the group of all commands and its one-line error policy.

Command modules import only click and light helpers; the command that runs imports what is heavy.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import click

from workflow.cli.attack import attack
from workflow.cli.certify import certify
from workflow.cli.compare import compare
from workflow.cli.convert import convert
from workflow.cli.epsilon import epsilon
from workflow.cli.errors import run
from workflow.cli.export import export
from workflow.cli.import_table import import_table
from workflow.cli.info import info
from workflow.cli.patterns import patterns
from workflow.cli.plan import plan
from workflow.cli.profile import profile
from workflow.cli.reduction import reduction
from workflow.cli.tradeoff import tradeoff
from workflow.cli.tune import tune
from workflow.cli.uldp import uldp
from workflow.cli.validate import validate

PROGRAM = "exact-census"


class OneLineGroup(click.Group):
    """A group whose errors, and those of its commands, are one line on stderr."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """As click's, but in standalone mode errors are printed by `errors.run`, whose exit code is used."""
        name = prog_name or PROGRAM

        def call() -> Any:
            return super(OneLineGroup, self).main(args, name, complete_var, standalone_mode=False, **extra)

        return sys.exit(run(call, name)) if standalone_mode else call()


@click.group(cls=OneLineGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="exact-census", prog_name=PROGRAM)
def main() -> None:
    """Exact differential-privacy accounting for the 2020 U.S. Census.

    An allocation says how much noise each query at each geographic level gets: one that is shipped, by its
    name, or a YAML file of your own. A mechanism is what is measured along one path from the root of the
    geography to a block; a pair is two of them between which a record may move.

    \b
    To begin with:
      exact-census epsilon --allocation dhc_persons_us --pair 000000,000000 --delta 1e-10
      exact-census validate dhc_persons_us

    Neighbouring data sets differ in one record that is replaced (bounded neighbours). Printed figures are
    rounded to the safe side; --json gives every figure with a guaranteed interval. `COMMAND --help` explains
    a command, docs/cli.md all of them with examples; `make report` runs the whole workflow.
    """


for command in (
    profile,
    epsilon,
    tradeoff,
    reduction,
    attack,
    plan,
    patterns,
    info,
    tune,
    compare,
    validate,
    certify,
    convert,
    export,
    import_table,
    uldp,
):
    main.add_command(command)


if __name__ == "__main__":
    main()
