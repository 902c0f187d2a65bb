"""Which task stands where: row i of a split has its environment, level and index by arithmetic alone.

The counts per environment and level are exact (largest remainders). Rows are dealt in blocks, each with every
environment and level in its due share, so that any run of rows, a shard or the first hundred, is a mix.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate

from ecomrlve.outputs.configuration import Configuration
from ecomrlve.outputs.targets import target

_BLOCK_ROWS_PER_CELL = 4


@dataclass(frozen=True, slots=True)
class Place:
    """One row's task: environment, level and its index among the tasks of that split, environment and level."""

    split: str
    env: str
    level: int
    index: int
    axes: tuple[tuple[str, float], ...] = field(default=(), compare=False)
    """Axes of this one task set by hand, over those of the run."""


@dataclass(frozen=True, slots=True)
class _Cell:
    """Rows alike: how many, from which index on."""

    env: str
    level: int
    count: int
    first: int = 0
    axes: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Shard:
    """One file: its number among all, its name under ``data/``, and the rows of its split that it holds."""

    number: int
    name: str
    split: str
    first: int
    rows: int


def apportion(total: int, weights: Sequence[Fraction]) -> list[int]:
    """Whole parts of a total in proportion to weights, by largest remainders; ties go to the earlier part.

    >>> apportion(10, [Fraction(1), Fraction(1), Fraction(1)])
    [4, 3, 3]
    """
    whole = sum(weights, Fraction(0))
    exact = [total * weight / whole for weight in weights]
    parts = [int(share) for share in exact]
    by_remainder = sorted(range(len(parts)), key=lambda at: (parts[at] - exact[at], at))
    for at in by_remainder[: total - sum(parts)]:
        parts[at] += 1
    return parts


class SplitPlan:
    """The rows of one split in order.

    >>> plan = Plan(Configuration(count=100)).splits["train"]
    >>> len(plan), next(plan.rows(0, 1)) == next(plan.rows(0, 90))
    (90, True)
    """

    def __init__(self, split: str, rows: int, configuration: Configuration) -> None:
        self._split = split
        self._cells = self._phase(configuration) if configuration.phase else self._even(split, rows, configuration)
        self._length = rows
        self._blocks = max(1, rows // (_BLOCK_ROWS_PER_CELL * len(self._cells)))

    @staticmethod
    def _phase(configuration: Configuration) -> list[_Cell]:
        """The cells that a curriculum drew."""
        return [_Cell(drawn.env, drawn.level, drawn.count, drawn.first, drawn.axes) for drawn in configuration.phase]

    @staticmethod
    def _even(split: str, rows: int, configuration: Configuration) -> list[_Cell]:
        """Every environment by its weight, every level as often."""
        levels = configuration.levels_of(split)
        weights = [weight for _, weight in configuration.environments]
        names = [name for name, _ in configuration.environments]
        counts = {
            (level, env): count
            for env, of_environment in zip(names, apportion(rows, weights), strict=True)
            for level, count in zip(levels, apportion(of_environment, [Fraction(1)] * len(levels)), strict=True)
        }
        # Levels outermost, so that neighbours differ in environment.
        return [_Cell(env, level, counts[level, env]) for level in levels for env in names]

    def __len__(self) -> int:
        return self._length

    def _before(self, block: int) -> list[int]:
        """How many rows of each cell stand before a block."""
        return [block * cell.count // self._blocks for cell in self._cells]

    def _block(self, block: int) -> list[Place]:
        """The rows of one block: each cell's rows spread evenly over it."""
        begin, end = self._before(block), self._before(block + 1)
        cells = len(self._cells)
        spread = sorted(
            (((2 * at + 1) << 32) // (stop - start), (cell - block) % cells, cell, start + at)
            for cell, (start, stop) in enumerate(zip(begin, end, strict=True))
            for at in range(stop - start)
        )
        rows = [(self._cells[cell], index) for _, _, cell, index in spread]
        return [Place(self._split, cell.env, cell.level, cell.first + index, cell.axes) for cell, index in rows]

    def rows(self, first: int, count: int) -> Iterator[Place]:
        """The places of ``count`` rows from row ``first`` on."""
        block = bisect_right(range(self._blocks), first, key=lambda at: sum(self._before(at))) - 1
        skip = first - sum(self._before(block))
        while count > 0:
            places = self._block(block)[skip : skip + count]
            yield from places
            count -= len(places)
            block, skip = block + 1, 0


class Plan:
    """The whole run: splits, their rows, the shards they are written as, and the files that stay.

    Attributes:
        shards: the pieces of work.
        files: those, or, for a target of one file, each split's joined.

    >>> [shard.name for shard in Plan(Configuration(count=12_000)).shards]
    ['train-00000-of-00003.parquet', 'train-00001-of-00003.parquet', 'train-00002-of-00003.parquet', \
'test-00000-of-00001.parquet']
    """

    def __init__(self, configuration: Configuration) -> None:
        self.configuration = configuration
        names = [name for name, _ in configuration.splits]
        sizes = apportion(configuration.count, [share for _, share in configuration.splits])
        self.splits = {
            name: SplitPlan(name, size, configuration) for name, size in zip(names, sizes, strict=True) if size
        }
        self._form = target(configuration.target)
        self.shards = self._shards()
        self.files = self._joined() if self._form.one_file else self.shards

    def _shards(self) -> tuple[Shard, ...]:
        shards: list[Shard] = []
        most = self.configuration.shard_rows
        for split, plan in self.splits.items():
            files = -(-len(plan) // most)
            sizes = apportion(len(plan), [Fraction(1)] * files)
            for at, (first, size) in enumerate(zip(accumulate([0, *sizes[:-1]]), sizes, strict=True)):
                shards.append(Shard(len(shards), self._name(split, at, files), split, first, size))
        return tuple(shards)

    def _name(self, split: str, at: int, files: int) -> str:
        return f"{split}-{at:05d}-of-{files:05d}.{self._form.suffix}"

    def _joined(self) -> tuple[Shard, ...]:
        """One file per split."""
        sizes = [(split, len(plan)) for split, plan in self.splits.items()]
        return tuple(Shard(at, self._name(split, 0, 1), split, 0, rows) for at, (split, rows) in enumerate(sizes))

    def places(self, shard: Shard) -> Iterator[Place]:
        """The places of a shard's rows, in order."""
        return self.splits[shard.split].rows(shard.first, shard.rows)
