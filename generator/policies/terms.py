"""A shop's rules on anything but returns, drawn afresh: sections by topic, each large enough for its cases."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ecomrlve.generator.policies.draw import money
from ecomrlve.generator.randomness import Draws
from ecomrlve.grammars.conditions.attributes import Currency
from ecomrlve.grammars.terms.form import ANSWERS, Clause, Effect, Rule, Section, Topic, facts, topics
from ecomrlve.grammars.terms.text import Terms, wordings_of

MOST_BRANCHES = 5
"""Sections are drawn so that up to so many rules can bear on a case."""

_MOST_ON_WORDS = 2

# Of the values by which a section's rules are parted, how many have a rule; of the others the rules say nothing.
_COVERED = (3, 4)
# How many of a hundred rules that change an answer ask for a second thing, and how many have an "unless".
_SECOND, _UNLESS = 25, 15
# Those that look like digits are left out.
_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True)
class _Drawing:
    """What the parts of one section share."""

    draws: Draws
    topic: Topic
    currency: Currency
    covered: tuple[str, ...]

    def number(self, choices: Sequence[int], in_money: bool) -> int:
        if not choices:
            return 0
        chosen = self.draws.choice(choices)
        return money(chosen, self.currency) if in_money else chosen

    def rule(self, effect: Effect, clauses: Sequence[Clause], unless: Clause | None = None) -> Rule:
        """A rule with numbers of its own."""
        return Rule(
            effect.op,
            tuple(clauses),
            unless,
            amount=self.number(effect.amount, True) or self.number(effect.n, False),
            each=self.number(effect.each, True),
            percent=self.number(effect.percent, False),
        )

    def clause(self, fact: str, values: Sequence[str] = ()) -> Clause:
        """A condition on a fact, as customers meet it."""
        found = facts()[fact]
        wording = self.draws.below(len(found.wordings))
        if found.kind == "tier":
            values = values or self.draws.choice((("Gold",), ("Plus",), ("Plus", "Gold")))
        elif found.kind == "choice":
            values = values or self.draws.sample(found.values, self.draws.between(1, 2))
        elif found.thresholds:
            return Clause(fact, over=self.number(found.thresholds, found.kind == "money"), wording=wording)
        return Clause(fact, tuple(values), wording=wording)


def draw_terms(
    seed: int, split: str, number: int, currency: Currency, branches: int, more: int, others: int = 1
) -> tuple[Terms, int]:
    """One document of a world's shop, and the place of the section that its cases are about.

    Args:
        seed: the world's seed.
        split: the world's split.
        number: which document.
        currency: of the amounts.
        branches: how many rules are to bear on a case.
        more: rules beyond those that it takes.
        others: sections on other topics.

    >>> from ecomrlve.grammars.conditions.attributes import CURRENCIES
    >>> terms, place = draw_terms(0, "train", 7, CURRENCIES["USD"], 2, 2)
    >>> len(terms.sections), 0 <= place < 2
    (2, True)
    """
    draws = Draws(seed, "terms", split, number, branches, more)
    size = max(1, min(branches, MOST_BRANCHES))
    # Nothing is added to an answer in words, so few rules bear on it; and of a few words one is easily guessed.
    about_any = [key for key, topic in topics().items() if not topic.choices] * 2
    about_any += [key for key, topic in topics().items() if topic.choices and size <= _MOST_ON_WORDS]
    chosen = [draws.choice(about_any)]
    chosen += draws.sample([key for key in topics() if key not in chosen], others)
    last = draws.chance(400)
    about = _draw_section(draws, topics()[chosen[0]], currency, size, more)
    # The others are there to be passed over.
    sections = [about, *(_draw_section(draws, topics()[key], currency, 0, 0) for key in chosen[1:])]
    named = _name(draws, [replace(one, last=last) for one in sections])
    order = draws.shuffle(range(len(named)))
    reading = (draws.below(2), draws.below(2), draws.below(2))
    return Terms(tuple(named[at] for at in order), reading), order.index(0)


def _draw_section(draws: Draws, topic: Topic, currency: Currency, size: int, more: int) -> Section:
    main = facts()[topic.main]
    covered = tuple(draws.sample(main.values, draws.choice(_COVERED) if size else min(_COVERED)))
    drawing = _Drawing(draws, topic, currency, covered)
    plain = [drawing.rule(topic.sets, (drawing.clause(topic.main, (value,)),)) for value in covered]
    if topic.choices:
        special, changes = [_special(drawing) for _ in range(size and size + 1 + more // 2)], list[Rule]()
        lifted = max(0, size - 1)
    else:
        special = [_special(drawing)] if size and draws.chance(600) else []
        changes = _changes(drawing, max(1, size), more)
        lifted = (size >= 2) + (size >= 4)
    # Rules for special cases go before the others, so that they are worth writing.
    answers = _distinct([*special, *draws.shuffle(plain)], topic, draws)
    body = [*answers, *changes]
    targets = draws.sample([at for at in range(len(body)) if at < len(special) or at >= len(answers)], lifted)
    lifts = [Rule("lifts", (_other_clause(drawing, body[at]),), lifts=at) for at in targets]
    return _arrange(draws, topic, [*body, *lifts])


def _special(drawing: _Drawing) -> Rule:
    """A rule that answers in a special case of some of the values covered."""
    draws, topic = drawing.draws, drawing.topic
    values = draws.sample(drawing.covered, draws.between(1, 2))
    clauses = (drawing.clause(topic.main, values), drawing.clause(draws.choice(topic.facts)))
    return drawing.rule(topic.sets, clauses)


def _changes(drawing: _Drawing, count: int, more: int) -> list[Rule]:
    """Rules that add, take off or limit; a limit stands last, where it limits all of it.

    Those beyond the count are each for some of the values covered, so that they do not crowd the cases of the others.
    """
    draws, topic = drawing.draws, drawing.topic
    found: list[Rule] = []
    pool = draws.shuffle(topic.facts)
    for number in range(count + more):
        fact = pool[number % len(pool)]
        ops = ("less", "off", "cap") if fact in topic.lowers else ("add", "more")
        limited = any(other.op == "cap" for other in found)
        effects = [one for one in topic.adjusts if one.op in ops and not (one.op == "cap" and limited)]
        clauses = [drawing.clause(fact)]
        if number >= count:
            clauses.append(drawing.clause(topic.main, draws.sample(drawing.covered, 1)))
        elif draws.below(100) < _SECOND:
            second = draws.choice([one for one in (*topic.facts, topic.main) if one != fact])
            clauses.append(drawing.clause(second, drawing.covered[:2] if second == topic.main else ()))
        unless = None
        if draws.below(100) < _UNLESS:
            free = [one for one in topic.facts if all(one != clause.fact for clause in clauses)]
            unless = drawing.clause(draws.choice(free))
        found.append(drawing.rule(draws.choice(effects), clauses, unless))
    return sorted(found, key=lambda rule: rule.op == "cap")


def _other_clause(drawing: _Drawing, rule: Rule) -> Clause:
    """A condition on something that a rule does not ask about."""
    asked = {clause.fact for clause in rule.clauses} | ({rule.unless.fact} if rule.unless else set())
    return drawing.clause(drawing.draws.choice([one for one in drawing.topic.facts if one not in asked]))


def _distinct(rules: Sequence[Rule], topic: Topic, draws: Draws) -> list[Rule]:
    """The rules that answer, no two with the same words for an answer in a row."""
    if not topic.choices:
        return list(rules)
    found: list[Rule] = []
    for rule in rules:
        free = [one for one in topic.choices if not found or one != found[-1].choice]
        found.append(replace(rule, choice=draws.choice(free)))
    return found


def _arrange(draws: Draws, topic: Topic, rules: Sequence[Rule]) -> Section:
    """The rules with their wordings, the exceptions each behind the rule it is to, or all at the end."""
    kept = [at for at, rule in enumerate(rules) if rule.op != "lifts"]
    exceptions = [at for at, rule in enumerate(rules) if rule.op == "lifts"]
    order: list[int] = []
    beside = draws.chance(600)
    for at in kept:
        order.append(at)
        order += [one for one in exceptions if beside and rules[one].lifts == at]
    order += [] if beside else exceptions
    place = {old: new for new, old in enumerate(order)}
    worded = []
    for at in order:
        rule = rules[at]
        effects, frames = wordings_of(rule, topic)
        lifts = place[rule.lifts] if rule.op == "lifts" else -1
        worded.append(replace(rule, lifts=lifts, wording=(draws.below(effects), draws.below(frames))))
    return Section(topic.key, tuple(worded), ())


def _reversed(section: Section) -> Section:
    """The section with its rules that answer the other way round, for documents in which the last decides."""
    places = [at for at, rule in enumerate(section.rules) if rule.op in ANSWERS]
    turned = dict(zip(places, reversed(places), strict=True))
    back = {old: new for new, old in turned.items()}
    rules = [section.rules[turned.get(at, at)] for at in range(len(section.rules))]
    moved = tuple(
        replace(rule, lifts=back.get(rule.lifts, rule.lifts)) if rule.op == "lifts" else rule for rule in rules
    )
    return replace(section, rules=moved)


def _name(draws: Draws, sections: Sequence[Section]) -> list[Section]:
    """The sections with ids: one letter throughout, or one for each."""
    letters = [
        one + (draws.choice(_LETTERS) if draws.chance(300) else "") for one in draws.sample(_LETTERS, len(sections))
    ]
    together = draws.chance(500)
    start, step = draws.choice(((1, 1), (10, 10), (100 * draws.between(1, 8) + 1, 1), (draws.between(2, 40), 1)))
    found, count = [], 0
    for section, letter in zip(sections, letters, strict=True):
        if section.last:
            section = _reversed(section)
        first = count if together else 0
        ids = tuple(
            f"{letters[0] if together else letter}{start + step * (first + at)}" for at in range(len(section.rules))
        )
        count += len(section.rules)
        found.append(replace(section, ids=ids))
    return found
