"""The console script `exact-census`: all commands, each in a module that is loaded when it is asked for."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click

from kernels.errors import Refused
from workflow.errors import PlainError
from workflow.script import complain, end, run
from workflow.words import one_line, shorten, suggestion

PROGRAM = "exact-census"

#: Name of each command: its module here, which holds the command under the module's own name, and what it
#: does, in a line.
COMMANDS = {
    "attack": ("attack", "Posterior odds, false-negative rates and advantage of an attacker."),
    "certify": ("certify", "Re-derive a result file rigorously and write a certificate."),
    "compare": ("compare", "Several allocations side by side."),
    "convert": ("convert", "eps of a bare zCDP budget."),
    "epsilon": ("epsilon", "Exact eps at given delta, beside the zCDP conversions."),
    "export": ("export", "Budget table, curve or privacy loss distribution for other programs."),
    "import": ("import_table", "A published budget table, CSV, as an allocation file."),
    "info": ("info", "What a result file holds, and whether it is whole."),
    "patterns": ("patterns", "Bypass patterns of a geography, with their paths."),
    "plan": ("plan", "Size, error budget and predicted cost of a computation."),
    "profile": ("profile", "Exact delta at given eps, with both tails."),
    "reduction": ("reduction", "Share of the noise variance that is not needed."),
    "tradeoff": ("tradeoff", "Least false-negative rate of any test, given its false-positive rate."),
    "tune": ("tune", "Budget in, noise out: the largest rhos that keep a promise."),
    "uldp": ("uldp", "Least error of estimates under utility-optimised local privacy."),
    "validate": ("validate", "Check an allocation file."),
}


class LazyGroup(click.Group):
    """A group that loads a command when it is asked for, and whose errors are one line on stderr."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name, or None."""
        if cmd_name not in COMMANDS:
            return None
        module, _ = COMMANDS[cmd_name]
        command: click.Command = getattr(import_module(f".{module}", __package__), module)
        command.name = cmd_name
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click's, which does not know the names of commands that are not loaded."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            hint = suggestion(name, COMMANDS).strip()
            ctx.fail(f"No such command {shorten(name)}. {hint[:1].upper()}{hint[1:]}".strip())
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The names of all commands, each with its line."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> Any:
        """As click's; errors end the program under the command's name. Where a check fails that the kernels
        make of their own numbers, that is a refusal too."""
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.Abort, click.exceptions.Exit):
            raise
        except Exception as error:
            shown: Exception = error
            if isinstance(error, ValueError | ArithmeticError) and not isinstance(
                error, PlainError | Refused
            ):
                reason = f"{type(error).__name__}: {error}"
                shown = Refused(f"no certain answer; please report this command with its message: {reason}")
            end(shown, f"{ctx.command_path} {ctx.invoked_subcommand}")

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """As click's, but in standalone mode it ends as every program here does, by `script.run`."""
        name = prog_name or PROGRAM

        def call() -> Any:
            try:
                return super(LazyGroup, self).main(args, name, complete_var, standalone_mode=False, **extra)
            except click.exceptions.NoArgsIsHelpError as error:
                error.show()
                sys.exit(error.exit_code)
            except click.ClickException as error:
                context = getattr(error, "ctx", None)
                complain(context.command_path if context else name, one_line(error.format_message()))
                sys.exit(error.exit_code)
            except click.Abort:
                raise KeyboardInterrupt from None

        return run(call, name) if standalone_mode else call()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
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


if __name__ == "__main__":
    main()
