"""Verbs as Typer's commands: what every one of them takes, and how their help looks."""

import re
from typing import Any

from typer.core import TyperCommand, TyperGroup


class Verb(TyperCommand):
    """A command whose help is written as manuals are: `semilar remove [OPTIONS] IN...`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Paragraphs are as wide as the terminal, not as the source.
        self.help = re.sub(r"(?<!\n)\n(?!\n)", " ", self.help or "")

    def get_params(self, ctx: Any) -> list[Any]:
        """Options and arguments; a flag takes no value, so none is shown."""
        return _plain(super().get_params(ctx))

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """What stands in the line of usage after the verb."""
        return _usage(self, ctx)


class Group(TyperGroup):
    """A group of verbs, written the same way."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Options and arguments; a flag takes no value, so none is shown."""
        return _plain(super().get_params(ctx))


def _plain(params: list[Any]) -> list[Any]:
    for param in params:
        if param.param_type_name == "argument":
            param.metavar = param.metavar or param.name.upper() + ("..." if param.nargs < 0 else "")
        elif getattr(param, "is_flag", False):
            param.metavar = ""
    return params


def _usage(command: Any, ctx: Any) -> list[str]:
    names = [param for param in command.get_params(ctx) if param.param_type_name == "argument"]
    pieces = [one.metavar if one.required else f"[{one.metavar}]" for one in names]
    return ["[OPTIONS]", *pieces]
