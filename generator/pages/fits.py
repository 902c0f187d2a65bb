"""What fits what: the lines of a prompt that say by which details two product types go together."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from ecomrlve.generator.pages.prompt import texts
from ecomrlve.grammars.engine.tokens import article


@dataclass(frozen=True, slots=True)
class FitLine:
    """How one product type fits another: its detail is that of the other; nouns are singular, details are labels."""

    source: str
    target: str
    label: str
    target_label: str


def render_fits(lines: Sequence[FitLine]) -> list[str]:
    """The lines of a system prompt; none where nothing has to fit.

    >>> render_fits([FitLine("pan lid", "frying pan", "lid size", "diameter")])[1]
    '- A pan lid fits a frying pan if its lid size is the diameter of the frying pan.'
    """
    words = texts()["sets"]
    found = [
        words["item"].format(
            source=f"{article(line.source).capitalize()} {line.source}",
            target=f"{article(line.target)} {line.target}",
            label=line.label,
            target_label=line.target_label,
            target_noun=line.target,
        )
        for line in lines
    ]
    return [words["heading"], *found] if found else []


def parse_fits(system: str) -> list[FitLine]:
    """The lines that a system prompt holds.

    >>> line = FitLine("LED bulb", "table lamp", "bulb base", "bulb base")
    >>> parse_fits("\\n".join(render_fits([line]))) == [line]
    True
    """
    return [FitLine(*match.group(1, 2, 3, 4)) for match in _line().finditer(system)]


@lru_cache(maxsize=1)
def _line() -> re.Pattern[str]:
    pattern = re.escape(texts()["sets"]["item"])
    for name, part in (
        ("source", "An? (.+?)"),
        ("target", "an? (.+?)"),
        ("label", "(.+?)"),
        ("target_label", "(.+?)"),
        ("target_noun", r"\2"),
    ):
        pattern = pattern.replace(re.escape("{" + name + "}"), part)
    return re.compile(f"^{pattern}$", re.MULTILINE)
