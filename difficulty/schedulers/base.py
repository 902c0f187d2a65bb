"""What a scheduler is: it draws environments and levels, and learns from how a trainer's groups of rollouts went."""

import math
import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

import numpy as np

from ecomrlve.check import check_whole, is_number, is_whole
from ecomrlve.difficulty.axes import AXES
from ecomrlve.difficulty.randomness import rng_for, rng_from_state
from ecomrlve.errors import InvalidArgument

STATE_VERSION = 1
MOST_LEVELS = 200
DEFAULT_MAX_LEVEL = 20
# Of how many batches one is looked at for a change of window, and how many changes are kept.
_BETWEEN_MOVES = 16
_MOVES = 12


@dataclass(frozen=True, slots=True)
class Draw:
    """What the next prompt is to be.

    Args:
        env: an environment.
        level: a difficulty level.
        axes: single axes set by hand, over those of the level.
        replay: the id of a stored task to show again; None where a new one is to be made.
    """

    env: str
    level: int
    axes: Mapping[str, float] = field(default_factory=dict)
    replay: str | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """How the rollouts of one prompt went.

    Args:
        env: the place of the environment among the scheduler's.
        level: the prompt's level.
        successes: correct rollouts.
        trials: all rollouts, at least 1.
        axes: axes that the draw had set by hand.
        task_id: the prompt's task, where known.
    """

    env: int
    level: int
    successes: int
    trials: int
    axes: Mapping[str, float]
    task_id: str | None

    @property
    def rate(self) -> float:
        """The share of correct rollouts."""
        return self.successes / self.trials


def option(default: float, low: float, high: float, what: str) -> Any:
    """A scheduler's option: a number with its range (whole where the default is) and one line on what it does."""
    return field(default=default, metadata={"low": low, "high": high, "what": what})


@dataclass(frozen=True)
class Options:
    """The options of a scheduler; subclasses name them with `option`."""

    def __post_init__(self) -> None:
        for one in fields(self):
            value, low, high = getattr(self, one.name), one.metadata["low"], one.metadata["high"]
            whole = isinstance(one.default, int)
            if not (is_whole(value) if whole else is_number(value)):
                raise InvalidArgument(one.name, value, f"must be a {'whole ' if whole else ''}number")
            if not low <= value <= high:
                raise InvalidArgument(one.name, value, f"must lie between {low} and {high}: {one.metadata['what']}")


class Scheduler(ABC):
    """Chooses environments and levels; safe to share between threads, and to send to another process.

    Args:
        environments: names, at least one, each once.
        seed: of all draws.
        max_level: no level above it is drawn.
        axes: environment to the axes that a per-axis scheduler may move; the others pass it over.
        options: of the scheduler, by name.

    Raises:
        InvalidArgument: for an unknown option or a value outside its range.
    """

    name: ClassVar[str]
    """As `make_scheduler` knows it."""
    summary: ClassVar[str]
    """One line on how it chooses."""
    source: ClassVar[str]
    """Where its update comes from."""
    order_free: ClassVar[bool] = False
    """Whether the groups of one batch may be observed in any order with the same state in the end."""
    Options: ClassVar[type[Options]] = Options

    def __init__(
        self,
        environments: Sequence[str],
        *,
        seed: int = 0,
        max_level: int = DEFAULT_MAX_LEVEL,
        axes: Mapping[str, Sequence[str]] | None = None,
        **options: float,
    ) -> None:
        names = tuple(environments)
        if isinstance(environments, str) or not names or len(set(names)) != len(names):
            raise InvalidArgument("environments", environments, "must name at least one environment, each once")
        check_whole("seed", seed, 0)
        check_whole("max_level", max_level, 0, MOST_LEVELS - 1)
        known = [one.name for one in fields(self.Options)]
        for name in options:
            if name not in known:
                raise InvalidArgument(name, options[name], f"{self.name} has no such option; it has {known or 'none'}")
        self.environments = names
        self.max_level = max_level
        self.options = self.Options(**options)
        self.axes = {env: tuple((axes or {}).get(env, ())) for env in names}
        for env, moved in self.axes.items():
            for axis in moved:
                if axis not in AXES:
                    raise InvalidArgument("axes", axis, f"is not an axis ({env}); there are {', '.join(AXES)}")
        self._seed = seed
        self._place = {env: at for at, env in enumerate(names)}
        self._rng = rng_for(seed, "scheduler")
        self._lock = threading.Lock()
        # Per environment and level: prompts, successes, trials; what `curriculum show` prints.
        self._counts = [[[0, 0, 0] for _ in range(max_level + 1)] for _ in names]
        # Per environment the highest level at which any rollout was correct, -1 where there is none.
        self._reached = [-1] * len(names)
        # Per environment the last windows, each where it differs from the one before; what `curriculum show` prints.
        self._drawn = 0
        self._moves: list[list[tuple[int, int]]] = [[] for _ in names]

    @classmethod
    def option_lines(cls) -> list[tuple[str, float, str]]:
        """(name, default, what it does) of each option."""
        return [(one.name, one.default, one.metadata["what"]) for one in fields(cls.Options)]  # type: ignore[misc]

    # --- for trainers --------------------------------------------------------------------------------------------

    def sample(self, n: int) -> list[Draw]:
        """What the next ``n`` prompts are to be.

        >>> from ecomrlve.difficulty import make_scheduler
        >>> [draw.level for draw in make_scheduler("rlve", environments=("PD",)).sample(2)]
        [0, 0]
        """
        check_whole("n", n, 0)
        with self._lock:
            draws = self._choose(n) if n else []
            self._note_moves()
            return draws

    def observe(
        self,
        *,
        successes: int,
        trials: int,
        env: str | None = None,
        level: int | None = None,
        draw: Draw | None = None,
        axes: Mapping[str, float] | None = None,
        task_id: str | None = None,
    ) -> None:
        """Learn from the rollouts of one prompt; call it before any filter drops groups without gradient.

        Args:
            successes: correct rollouts.
            trials: all rollouts.
            env: the prompt's environment, and
            level: its level; or
            draw: the draw it came from, in place of both.
            axes: axes that the draw had set by hand, where no draw is given.
            task_id: the prompt's task, for schedulers that show tasks again.

        Raises:
            InvalidArgument: for an environment or a level that this scheduler does not draw, or impossible counts.
        """
        if draw is not None:
            env, level, axes, task_id = draw.env, draw.level, draw.axes, draw.replay or task_id
        if env not in self._place:
            raise InvalidArgument("env", env, f"is not drawn here; there are {', '.join(self.environments)}")
        level = check_whole("level", level, 0, self.max_level)
        if not (_is_whole(trials) and trials >= 1):
            raise InvalidArgument("trials", trials, "must be a whole number of at least 1")
        if not (_is_whole(successes) and 0 <= successes <= trials):
            raise InvalidArgument("successes", successes, f"must be a whole number from 0 to trials={trials}")
        group = Group(self._place[env], level, int(successes), int(trials), axes or {}, task_id)
        with self._lock:
            counts = self._counts[group.env][level]
            counts[0] += 1
            counts[1] += group.successes
            counts[2] += group.trials
            if group.successes and level > self._reached[group.env]:
                self._reached[group.env] = level
            self._learn(group)

    def state_dict(self) -> dict[str, Any]:
        """All that a scheduler knows, as JSON can hold it, its random state included."""
        with self._lock:
            return {
                "version": STATE_VERSION,
                "scheduler": self.name,
                "environments": list(self.environments),
                "seed": self._seed,
                "max_level": self.max_level,
                "axes": {env: list(moved) for env, moved in self.axes.items()},
                "options": {one.name: getattr(self.options, one.name) for one in fields(self.options)},
                "random": self._rng.bit_generator.state,
                "counts": [[list(level) for level in levels] for levels in self._counts],
                "moves": [[list(window) for window in moves] for moves in self._moves],
                "drawn": self._drawn,
                "state": self._state(),
            }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from a saved state, exactly as if it had never been left.

        Raises:
            InvalidArgument: where the state is of another scheduler, other environments or other options.
        """
        mine = self.state_dict()
        for name in ("version", "scheduler", "environments", "max_level", "axes", "options"):
            theirs = state.get(name) if isinstance(state, Mapping) else None
            if theirs != mine[name]:
                raise InvalidArgument(name, theirs, f"this scheduler has {mine[name]}; make one like the saved one")
        try:
            counts = np.array(state["counts"], dtype=np.int64).reshape(len(self._counts), -1, 3).tolist()
            if len(counts[0]) != self.max_level + 1:
                raise ValueError(f"counts of {len(counts[0])} levels, not {self.max_level + 1}")
            rng = rng_from_state(state["random"])
            moves = [[(int(low), int(high)) for low, high in some] for some in state["moves"]]
            drawn = int(state["drawn"])
            if len(moves) != len(counts):
                raise ValueError(f"moves of {len(moves)} environments, not {len(counts)}")
            with self._lock:
                self._restore(state["state"])
                self._counts, self._rng, self._seed = counts, rng, int(state["seed"])
                self._moves, self._drawn = moves, drawn
                self._reached = [
                    max((at for at, level in enumerate(levels) if level[1]), default=-1) for levels in counts
                ]
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise InvalidArgument("state", sorted(state), f"is not whole ({type(error).__name__}: {error})") from error

    def moves(self, env: str) -> list[tuple[int, int]]:
        """The last windows of an environment as they were when tasks were drawn, each unlike the one before."""
        return list(self._moves[self._place[env]])

    def _note_moves(self) -> None:
        # Looked at now and then only: a window can cost more than a draw.
        self._drawn = (self._drawn + 1) % _BETWEEN_MOVES
        if self._drawn == 1:
            for place, moves in enumerate(self._moves):
                window = self._window(place)
                if not moves or moves[-1] != window:
                    moves.append(window)
                    del moves[:-_MOVES]

    def counts(self, env: str) -> list[tuple[int, int, int]]:
        """(prompts, successes, trials) of each level so far."""
        return [(int(a), int(b), int(c)) for a, b, c in self._counts[self._place[env]]]

    def window(self, env: str) -> tuple[int, int]:
        """The lowest and the highest level that the next draws of an environment come from, for the most part."""
        with self._lock:
            return self._window(self._place[env])

    def replayable(self) -> tuple[str, ...]:
        """Ids of the stored tasks that a draw may ask for again."""
        with self._lock:
            return self._replayable()

    # --- for schedulers ------------------------------------------------------------------------------------------

    @abstractmethod
    def _choose(self, n: int) -> list[Draw]: ...

    @abstractmethod
    def _learn(self, group: Group) -> None: ...

    @abstractmethod
    def _state(self) -> Any: ...

    @abstractmethod
    def _restore(self, state: Any) -> None: ...

    @abstractmethod
    def _window(self, place: int) -> tuple[int, int]: ...

    def _replayable(self) -> tuple[str, ...]:
        return ()

    def _integers(self, bounds: Sequence[int] | int, n: int) -> list[int]:
        """``n`` integers from 0 to below a bound."""
        found: list[int] = self._rng.integers(bounds, size=n).tolist()
        return found

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.Lock()


def _is_whole(value: object) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def bounds(rate: float, prompts: int, z: float) -> tuple[float, float]:
    """Wilson's interval for a mean rate of independent prompts.

    The rollouts of one prompt resemble each other, so a prompt counts once however many it has; that is on the safe
    side. Source: Wilson, Journal of the American Statistical Association 22 (1927).

    >>> tuple(round(end, 2) for end in bounds(0.9, 50, 1.645))
    (0.81, 0.95)
    """
    if prompts == 0:
        return 0.0, 1.0
    square = z * z / prompts
    middle = (rate + square / 2) / (1 + square)
    half = z * math.sqrt(rate * (1 - rate) / prompts + square / (4 * prompts)) / (1 + square)
    return max(0.0, middle - half), min(1.0, middle + half)
