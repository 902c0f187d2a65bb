"""The command line: ``ecomrlve catalog | curriculum | envs | fuzz | generate | show | truth | validate | verify``."""

import os
import sys
from importlib import import_module
from types import TracebackType
from typing import Any

import click

import ecomrlve
from ecomrlve.errors import EcomrlveError, InvalidArgument

_COMMANDS = ("catalog", "curriculum", "envs", "fuzz", "generate", "show", "truth", "validate", "verify")

_FAILED, _USAGE, _INTERRUPTED = 1, 2, 130


class Commands(click.Group):
    """The commands, each loaded from its own file when it is called; and one place where errors become sentences."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name."""
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = import_module(f"ecomrlve.commands.{cmd_name}").command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; what it raises is told in a sentence or two on standard error."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except BrokenPipeError:
            # The reader of our output (`head`) has seen enough. Python flushes once more at its end: into nothing.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(0)
        except KeyboardInterrupt as error:
            click.echo(with_notes("Stopped.", error), err=True)
            ctx.exit(_INTERRUPTED)
        except (EcomrlveError, OSError) as error:
            if ctx.meta.get(DEBUG):
                raise
            click.echo(with_notes(f"Error: {error}", error), err=True)
            ctx.exit(_USAGE if isinstance(error, InvalidArgument) else _FAILED)


DEBUG = "ecomrlve.debug"


def with_notes(message: str, error: BaseException) -> str:
    """A message, and what was noted on an error on its way up (as what is kept of a run)."""
    return " ".join([message, *getattr(error, "__notes__", ())])


def debug_option(function: Any) -> Any:
    """Give a command ``--debug``: errors with their traceback."""

    def remember(ctx: click.Context, _: click.Parameter, value: bool) -> None:
        if value:
            ctx.meta[DEBUG] = True
            sys.excepthook = sys.__excepthook__

    return click.option(
        "--debug", is_flag=True, expose_value=False, callback=remember, help="Show the traceback of an error."
    )(function)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(ecomrlve.__version__, prog_name="ecomrlve")
@debug_option
def cli() -> None:
    """Endless shopping tasks with proven answers, for training and testing language-model agents."""


def _tell_fault(kind: type[BaseException], error: BaseException, _: TracebackType | None) -> None:
    """Say in a sentence that the package itself is at fault."""
    click.echo(
        f"Error: a fault inside ecomrlve: {kind.__name__}: {error}\nRun again with --debug to see where.", err=True
    )


def main() -> None:
    """The entry point of the console script."""
    sys.excepthook = _tell_fault
    cli()
