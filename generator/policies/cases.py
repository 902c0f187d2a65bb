"""Cases for a section of a shop's rules: facts under which just so many rules bear on what is asked."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from ecomrlve.generator.policies.draw import money
from ecomrlve.generator.randomness import Draws
from ecomrlve.grammars.conditions.attributes import Currency
from ecomrlve.grammars.terms.form import (
    ANSWERS,
    Answer,
    Clause,
    Rule,
    Section,
    Value,
    asked,
    bearing,
    evaluate,
    facts,
    mentioned,
    topics,
)

_TRIES = 120
# After so many tries a case on which other rules bear than those chosen is looked at too.
_PATIENCE = 90
# How many of a hundred numbers lie just where a rule begins or ends.
_EDGES = 35
_COUNTING = ("per", "times", "share", "points")


@dataclass(frozen=True, slots=True)
class DrawnCase:
    """A case as drawn.

    Args:
        ask: what is asked: ``"value"``, ``"left"``, ``"within"`` or ``"due"``.
        facts: all that is so; a thing that is so or not, and is not here, is not so.
        answer: what the rules say to what is asked.
        bearing: how many rules bear; where no rule is to answer, on the case with another main fact.
    """

    ask: str
    facts: dict[str, Value]
    answer: Answer
    bearing: int


@dataclass(slots=True)
class _Wanted:
    """What facts must be, so that some rules fit and others do not."""

    values: dict[str, tuple[str, ...]] = field(default_factory=dict)
    over: dict[str, int] = field(default_factory=dict)
    so: set[str] = field(default_factory=set)
    not_so: list[Clause] = field(default_factory=list)

    def fit(self, rule: Rule) -> bool:
        """Ask for what a rule asks for; False where that cannot be beside the rest."""
        for clause in rule.clauses:
            if clause.values:
                both = tuple(one for one in clause.values if one in self.values.get(clause.fact, clause.values))
                if not both:
                    return False
                self.values[clause.fact] = both
            elif clause.over is not None:
                self.over[clause.fact] = max(clause.over, self.over.get(clause.fact, 0))
            else:
                self.so.add(clause.fact)
        self.not_so += [rule.unless] if rule.unless else []
        return True


def draw_case(draws: Draws, section: Section, currency: Currency, branches: int, nothing: bool) -> DrawnCase | None:
    """A case on which so many rules bear, or the nearest number that a few tries find; None where none finds any.

    Args:
        draws: where the numbers come from.
        section: the rules.
        currency: of amounts.
        branches: how many rules are to bear.
        nothing: whether no rule is to answer.
    """
    topic, minor = topics()[section.topic], 10**currency.decimals
    ask = draws.choice(topic.asks)
    answering = [rule for rule in section.rules if rule.op in ANSWERS]
    covered = dict.fromkeys(value for rule in answering for value in rule.clauses[0].values)
    free = [value for value in facts()[topic.main].values if value not in covered]
    others = [at for at, rule in enumerate(section.rules) if rule.op not in ANSWERS]
    best: DrawnCase | None = None
    for attempt in range(_TRIES):
        main = draws.choice(list(covered))
        able = [at for at in others if _allows(section.rules[at], topic.main, main)]
        chosen = draws.sample(able, branches - 1)
        case = _settle(draws, section, currency, main, chosen)
        if case is None or (attempt < _PATIENCE and not _only(section, case, others, chosen)):
            continue
        case = _tempt(section, case)
        case, put = _measure(draws, section, case, currency, ask)
        count = len(bearing(section, case, minor, put))
        if nothing:
            case = {**case, topic.main: draws.choice(free)}
        answer = asked(evaluate(section, case, minor), put, case, topic)
        if nothing != (answer.value is None):
            continue
        if best is None or abs(count - branches) < abs(best.bearing - branches):
            best = DrawnCase(put, case, answer, count)
        if count == branches:
            break
    return best


def _allows(rule: Rule, main: str, value: str) -> bool:
    return all(clause.fact != main or value in clause.values for clause in rule.clauses)


def _only(section: Section, case: dict[str, Value], others: Sequence[int], chosen: Sequence[int]) -> bool:
    """Whether of the rules that do not answer, none fits but those chosen and what they lift."""
    wanted = {*chosen, *(section.rules[at].lifts for at in chosen)}
    return all(at in wanted or not section.rules[at].fits(case) for at in others)


def _settle(
    draws: Draws, section: Section, currency: Currency, main: str, chosen: Sequence[int]
) -> dict[str, Value] | None:
    """Facts under which the chosen rules fit, and others rather not; None where they cannot fit together."""
    topic = topics()[section.topic]
    wanted = _Wanted({topic.main: (main,)})
    rules = [section.rules[at] for at in chosen]
    # An exception only bears where the rule that it is to fits.
    for rule in [*rules, *(section.rules[one.lifts] for one in rules if one.lifts >= 0)]:
        if not wanted.fit(rule):
            return None
    case: dict[str, Value] = {}
    for key in dict.fromkeys((topic.main, *mentioned(section), *(("tier",) if "tier" in topic.facts else ()))):
        fact = facts()[key]
        if fact.kind == "yes_no":
            if key in wanted.so:
                case[key] = True
        elif fact.values:
            plain = fact.kind == "tier" and draws.chance(600)
            case[key] = draws.choice(wanted.values.get(key) or (fact.values[:1] if plain else fact.values))
        else:
            case[key] = _number(draws, section, currency, key, wanted.over.get(key))
    if any(clause.holds(case) for clause in wanted.not_so):
        return None
    return case


def _tempt(section: Section, case: dict[str, Value]) -> dict[str, Value]:
    """The case with more that is so, where no other rule fits for it: rules that one thing keeps from fitting."""
    for rule in section.rules:
        missing = [clause for clause in rule.clauses if not clause.holds(case)]
        plain = [clause.fact for clause in missing if not clause.values and clause.over is None]
        if len(missing) > 1 and plain:
            trial = {**case, plain[0]: True}
            if all(one.fits(trial) == one.fits(case) for one in section.rules):
                case = trial
    return case


def _range(key: str, currency: Currency) -> tuple[int, int, int]:
    """Least and greatest number of a fact, and its step, in minor units where it is money."""
    low, high, step = facts()[key].draw
    if facts()[key].kind != "money":
        return low, high, step
    scale = money(10_000, currency)
    return low * scale // 10_000, high * scale // 10_000, max(1, step * scale // 10_000)


def _number(draws: Draws, section: Section, currency: Currency, key: str, over: int | None) -> int:
    """A number above what is wanted, and not above the next that a rule asks for."""
    low, high, step = _range(key, currency)
    clauses = (clause for rule in section.rules for clause in (*rule.clauses, *([rule.unless] if rule.unless else [])))
    limits = {clause.over for clause in clauses if clause.fact == key and clause.over is not None}
    low = max(low, (over or 0) + 1)
    high = min([high, *(limit for limit in limits if limit >= low)])
    if draws.below(100) < _EDGES:
        return draws.choice((low, high))
    return low + step * draws.below((high - low) // step + 1)


def _measure(
    draws: Draws, section: Section, case: dict[str, Value], currency: Currency, ask: str
) -> tuple[dict[str, Value], str]:
    """The case with what is counted, and what is asked: a question of yes or no only where each rule can bear on it."""
    topic = topics()[section.topic]
    low, high, step = _range(topic.measure, currency)
    if topic.sets.op in _COUNTING:
        return {**case, topic.measure: low + step * draws.below((high - low) // step + 1)}, ask
    if ask == "value":
        return case, ask
    found = _edge(draws, section, case, ask, (low, high)) if ask in ("within", "due") else None
    if found is not None:
        return {**case, topic.measure: found}, ask
    value = evaluate(section, case, 10**currency.decimals).value
    near = int(value) if isinstance(value, int) else high
    return {**case, topic.measure: draws.between(low, max(low, min(high, near + near // 3)))}, "left"


def _edge(draws: Draws, section: Section, case: dict[str, Value], ask: str, between: tuple[int, int]) -> int | None:
    """A measure for which, without any of the rules that change the answer, yes would be no or no yes."""
    value = evaluate(section, case, 1).value
    if not isinstance(value, int):
        return None
    without = [
        other
        for at, rule in enumerate(section.rules)
        if rule.op not in ANSWERS
        and rule.fits(case)
        and isinstance(other := evaluate(section, case, 1, (at,)).value, int)
    ]
    changed = [other for other in without if other != value]
    longer = draws.chance(500) if not changed else max(changed) < value
    if changed and not longer and min(changed) < value:
        return None
    # Up to and including the value is within; from the value on it is due.
    if ask == "within":
        low, high = (
            (max(changed, default=value // 2) + 1, value) if longer else (value + 1, min(changed, default=value * 2))
        )
    else:
        low, high = (
            (max(changed, default=value // 2), value - 1) if longer else (value, min(changed, default=value * 2) - 1)
        )
    low, high = max(low, between[0]), min(high, between[1])
    if low > high:
        return None
    return draws.choice((low, high)) if draws.below(100) < _EDGES else draws.between(low, high)


def another_value(draws: Draws, section: Section, currency: Currency, key: str, value: Value | None) -> Value:
    """What a fact could be as well.

    Args:
        draws: where the numbers come from.
        section: the rules.
        currency: of amounts.
        key: the fact.
        value: what it is; None where it is nothing yet.
    """
    fact = facts()[key]
    if fact.kind == "yes_no":
        return draws.chance(500) if value is None else not value
    if fact.values:
        return draws.choice([one for one in fact.values if one != value])
    low, high, step = _range(key, currency)
    number = low + step * draws.below((high - low) // step + 1)
    return number if number != value else number + step
