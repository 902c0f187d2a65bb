"""What a run of `generate` is asked for, checked, and as JSON. A run is a pure function of it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from ecomrlve.difficulty.axes import axes_at
from ecomrlve.errors import CannotPose, InvalidArgument
from ecomrlve.generator.environments import environments
from ecomrlve.generator.identifiers import SPLITS
from ecomrlve.generator.tasks import make_task
from ecomrlve.generator.world import LARGEST, World
from ecomrlve.outputs.prompts import SYSTEM_ROLES
from ecomrlve.outputs.targets import target

DEFAULT_PRODUCTS = 50_000
_MOST_LEVELS = 200
# Names of shards count in five digits.
_MOST_SHARDS = 99_999
# An environment counts as carried where so many tasks can be posed.
_TRIALS = 3
# An exponent of more digits would make a fraction that fills the memory.
_NUMBER = re.compile(r"[+-]?[0-9.]{1,40}(?:e[+-]?[0-9]{1,2}|/[0-9]{1,40})?", re.IGNORECASE)

# ``test_hard`` has as many levels above the highest one of the run.
HARDER_LEVELS = 4

Shares = tuple[tuple[str, Fraction], ...]


def _pairs(name: str, texts: Iterable[str], default: str | None) -> list[tuple[str, Fraction]]:
    """Read ``NAME=NUMBER`` items, in order, each name once."""
    found: dict[str, Fraction] = {}
    for text in texts:
        key, equals, number = (part.strip() for part in text.partition("="))
        if not equals and default is not None:
            number = default
        try:
            value = Fraction(number if _NUMBER.fullmatch(number) else "")
        except (ValueError, ZeroDivisionError):
            raise InvalidArgument(
                name, text, "must be NAME=NUMBER" if default is None else "must be NAME or NAME=WEIGHT"
            ) from None
        if key in found:
            raise InvalidArgument(name, text, f"names {key} a second time")
        found[key] = value
    return list(found.items())


def read_environments(texts: Sequence[str]) -> Shares:
    """Environments and their weights from ``NAME`` or ``NAME=WEIGHT`` items.

    >>> read_environments(["CART=2", "pd"])
    (('CART', Fraction(2, 1)), ('PD', Fraction(1, 1)))
    """
    return tuple(_pairs("env", (text.upper() for text in texts), default="1"))


def read_levels(text: str) -> tuple[int, ...]:
    """Levels from ``3``, ``0-8`` or ``0,2,4-6``, in rising order.

    >>> read_levels("0,2,4-6")
    (0, 2, 4, 5, 6)
    """
    levels: set[int] = set()
    for part in text.split(","):
        low, dash, high = (end.strip() for end in part.partition("-"))
        ends = [low, high] if dash else [low, low]
        if not all(end.isascii() and end.isdigit() and len(end) <= 6 for end in ends):
            raise InvalidArgument("levels", text, "must be a level, a range LOW-HIGH or a list of those, such as 0-8")
        first, last = int(ends[0]), int(ends[1])
        if first > last:
            raise InvalidArgument("levels", text, f"the range {part.strip()} runs backwards; write {last}-{first}")
        if last - first >= _MOST_LEVELS:
            raise InvalidArgument("levels", text, f"at most {_MOST_LEVELS} levels fit in one run")
        levels.update(range(first, last + 1))
    return tuple(sorted(levels))


def read_split(text: str) -> Shares:
    """Splits and their shares from ``train=0.9,test=0.1``.

    >>> read_split("train=0.9,test=0.1")
    (('train', Fraction(9, 10)), ('test', Fraction(1, 10)))
    """
    return tuple(_pairs("split", text.split(","), default=None))


def read_axes(texts: Sequence[str]) -> tuple[tuple[str, float], ...]:
    """Axes set by hand, from ``NAME=VALUE`` items; the difficulty table says which there are.

    >>> read_axes(["noise=0", "answers=2"])
    (('answers', 2.0), ('noise', 0.0))
    """
    return tuple(sorted((key, float(value)) for key, value in _pairs("axis", texts, default=None)))


def read_numbers(name: str, texts: Sequence[str]) -> list[tuple[str, Fraction]]:
    """Numbers by name, from ``NAME=VALUE`` items of an option called ``name``.

    >>> read_numbers("option", ["width=3"])
    [('width', Fraction(3, 1))]
    """
    return _pairs(name, texts, default=None)


def carried_environments(shop: str, seed: int) -> tuple[Shares, dict[str, str]]:
    """The environments that an imported shop carries at the lowest level, all alike; and of the others what it lacks.

    Args:
        shop: its folder.
        seed: the run's.
    """
    world = World.load(shop, seed=seed)
    carried: list[tuple[str, Fraction]] = []
    lacks: dict[str, str] = {}
    for name in environments():
        try:
            for index in range(_TRIALS):
                make_task(world, name, level=0, seed=seed, index=index)
        except CannotPose as error:
            lacks[name] = str(error)
        else:
            carried.append((name, Fraction(1)))
    return tuple(carried), lacks


def _checked_environments(given: Shares) -> Shares:
    """Environments and weights in the registry's order; all alike where none is given."""
    weights = dict(given) or dict.fromkeys(environments(), Fraction(1))
    for name, weight in weights.items():
        if name not in environments():
            raise InvalidArgument("env", name, f"is not an environment; there are {', '.join(environments())}")
        if weight <= 0:
            raise InvalidArgument("env", f"{name}={float(weight):g}", "a weight must be above 0")
    return tuple((name, weights[name]) for name in environments() if name in weights)


def _checked_splits(given: Shares) -> Shares:
    """Splits and shares in the order of `SPLITS`."""
    shares = dict(given)
    for name, share in shares.items():
        if name not in SPLITS:
            raise InvalidArgument("split", name, f"is not a split; there are {', '.join(SPLITS)}")
        if share <= 0:
            raise InvalidArgument("split", f"{name}={float(share):g}", "a share must be above 0")
    total = sum(shares.values())
    if total != 1:
        text = ",".join(f"{name}={float(share):g}" for name, share in shares.items())
        raise InvalidArgument("split", text, f"the shares must sum to 1, not {float(total):g}")
    return tuple((name, shares[name]) for name in SPLITS if name in shares)


@dataclass(frozen=True, slots=True)
class Drawn:
    """What a curriculum drew for a phase: tasks of one environment, level and axes.

    Args:
        env: their environment.
        level: their level.
        first: the index of the first of them; the others follow it.
        count: how many there are.
        axes: single axes set by hand.
    """

    env: str
    level: int
    first: int
    count: int
    axes: tuple[tuple[str, float], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As the manifest keeps it.

        >>> Drawn("PD", 0, 5, 2).to_json()
        {'env': 'PD', 'level': 0, 'first': 5, 'count': 2, 'axes': {}}
        """
        return {**asdict(self), "axes": dict(self.axes)}


@dataclass(frozen=True, slots=True)
class Configuration:
    """All that a run's bytes depend on, beside the versions of the code.

    Args:
        count: tasks in all, over environments, levels and splits.
        environments: names and weights; all alike where none is given.
        levels: difficulty levels, each as often; of the split ``test_hard``, the next `HARDER_LEVELS` above them.
        splits: names and shares, which sum to 1.
        seed: of the shop and the tasks.
        shop: the number of products of a synthetic shop, or the folder of an imported one.
        mode: "context".
        impossible: the share of tasks whose right answer is that nothing fits.
        axes: difficulty axes set by hand.
        max_prompt_tokens: the most tokens a prompt may have.
        tokenizer: counts them; a path.
        system_role: where the shop's text goes, a key of `SYSTEM_ROLES`.
        shard_rows: the most rows in one shard.
        target: the trainer whose form the shards have, a name of `ecomrlve.outputs.targets`.
        phase: what a curriculum drew; then the tasks are these, and environments, levels and count follow from them.

    >>> Configuration(count=0)
    Traceback (most recent call last):
        ...
    ecomrlve.generator.verifiers.errors.InvalidArgument: count=0: must be at least 1
    """

    count: int
    environments: Shares = ()
    levels: tuple[int, ...] = tuple(range(9))
    splits: Shares = (("train", Fraction(9, 10)), ("test", Fraction(1, 10)))
    seed: int = 0
    shop: int | str = DEFAULT_PRODUCTS
    mode: str = "context"
    impossible: float = 0.1
    axes: tuple[tuple[str, float], ...] = ()
    max_prompt_tokens: int | None = None
    tokenizer: str | None = None
    system_role: str = "system"
    shard_rows: int = 5_000
    target: str = "universal"
    phase: tuple[Drawn, ...] = ()

    def __post_init__(self) -> None:
        if self.phase:
            self._take_from_phase()
        # One order whatever the caller's, so that equal requests are equal runs.
        object.__setattr__(self, "environments", _checked_environments(self.environments))
        object.__setattr__(self, "splits", _checked_splits(self.splits))
        for name, least in (("count", 1), ("seed", 0), ("shard_rows", 1), ("max_prompt_tokens", 1)):
            value = getattr(self, name)
            if value is not None and value < least:
                raise InvalidArgument(name, value, f"must be at least {least}")
            if value is not None and value > LARGEST:
                raise InvalidArgument(name, value, f"must be at most {LARGEST}")
        if -(-self.count // self.shard_rows) > _MOST_SHARDS:
            rule = f"makes more than {_MOST_SHARDS:,} shards of {self.shard_rows:,} rows; raise shard_rows"
            raise InvalidArgument("count", self.count, rule)
        if self.tokenizer is not None and self.max_prompt_tokens is None:
            raise InvalidArgument("tokenizer", self.tokenizer, "counts tokens for max_prompt_tokens, which is not set")
        if not 0 <= self.impossible <= 1:
            raise InvalidArgument("impossible", self.impossible, "must be a share between 0 and 1")
        if not self.levels:
            raise InvalidArgument("levels", self.levels, "must name at least one level")
        for level in sorted({level for split, _ in self.splits for level in self.levels_of(split)}):
            axes_at(level, dict(self.axes))
        if self.mode != "context":
            raise InvalidArgument("mode", self.mode, "must be context")
        if self.system_role not in SYSTEM_ROLES:
            raise InvalidArgument("system_role", self.system_role, f"must be one of {', '.join(SYSTEM_ROLES)}")

        target(self.target)

    def _take_from_phase(self) -> None:
        """Environments, levels and count as the phase has them."""
        if tuple(name for name, _ in self.splits) != ("train",):
            raise InvalidArgument("split", dict(self.splits), "a curriculum's phase has the split train alone")
        for drawn in self.phase:
            if drawn.first < 0 or drawn.count < 1 or drawn.first + drawn.count > LARGEST:
                raise InvalidArgument("phase", drawn, "must have a count of at least 1, from an index of at least 0")
            axes_at(drawn.level, dict(drawn.axes))
        names = sorted({drawn.env for drawn in self.phase})
        object.__setattr__(self, "environments", tuple((name, Fraction(1)) for name in names))
        object.__setattr__(self, "levels", tuple(sorted({drawn.level for drawn in self.phase})))
        object.__setattr__(self, "count", sum(drawn.count for drawn in self.phase))

    def levels_of(self, split: str) -> tuple[int, ...]:
        """The levels of one split's tasks.

        >>> Configuration(count=1, levels=(0, 2)).levels_of("test_hard")
        (3, 4, 5, 6)
        """
        if split != "test_hard":
            return self.levels
        return tuple(range(max(self.levels) + 1, max(self.levels) + 1 + HARDER_LEVELS))

    @property
    def without_test_types(self) -> bool:
        """Whether some departments are kept for the split ``test_types`` of this run."""
        return any(name == "test_types" for name, _ in self.splits)

    def to_json(self) -> dict[str, Any]:
        """The configuration as the manifest keeps it: shares as exact fractions in text.

        >>> Configuration.from_json(Configuration(count=7).to_json()) == Configuration(count=7)
        True
        """
        return {
            **asdict(self),
            "environments": {name: str(weight) for name, weight in self.environments},
            "levels": list(self.levels),
            "splits": {name: str(share) for name, share in self.splits},
            "axes": dict(self.axes),
            **({"phase": [drawn.to_json() for drawn in self.phase]} if self.phase else {}),
        }

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> "Configuration":
        """The configuration that a manifest holds.

        Raises:
            InvalidArgument: where a part is missing or breaks a rule.
        """
        try:
            return cls(
                **{
                    **given,
                    "environments": tuple((name, Fraction(weight)) for name, weight in given["environments"].items()),
                    "levels": tuple(given["levels"]),
                    "splits": tuple((name, Fraction(share)) for name, share in given["splits"].items()),
                    "axes": tuple(given["axes"].items()),
                    "phase": tuple(
                        Drawn(**{**drawn, "axes": tuple(drawn["axes"].items())}) for drawn in given.get("phase", ())
                    ),
                }
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            if isinstance(error, InvalidArgument):
                raise
            raise InvalidArgument("configuration", sorted(given), f"is not one of a manifest ({error})") from error
