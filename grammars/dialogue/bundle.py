"""Sets for a project in a customer's words: the parts, what they cost and how they go together; said and read."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from ecomrlve.errors import InvalidArgument
from ecomrlve.grammars.conditions.attributes import Attribute
from ecomrlve.grammars.conditions.constraints import AllOf, Node, canonical
from ecomrlve.grammars.conditions.finding import Ends
from ecomrlve.grammars.conditions.forms import own_prefix
from ecomrlve.grammars.conditions.parser import Slots
from ecomrlve.grammars.conditions.realizer import ONE
from ecomrlve.grammars.conditions.scales import number_text
from ecomrlve.grammars.conditions.trees import flatten, keys_of, simple
from ecomrlve.grammars.conditions.vocabulary import Vocabulary, quoted
from ecomrlve.grammars.dialogue.noise import Utterance
from ecomrlve.grammars.dialogue.sentences import SentenceRealizer, shuffled
from ecomrlve.grammars.dialogue.shopping import ShoppingParser
from ecomrlve.grammars.dialogue.turns import Event, Parser, parse_turns
from ecomrlve.grammars.engine.grammar import PUNCTUATION, Chance, Grammar, Meaning, Token, load_grammar
from ecomrlve.grammars.engine.lexicon import Lexicon
from ecomrlve.grammars.engine.tokens import first_word

_PLAIN, _COMMA = frozenset({"plain parts"}), frozenset({"comma parts"})
# So many parts of which nothing is said are joined by an "and" without a comma.
_FEW = 2
_EVERY, _SOME = frozenset({"every part"}), frozenset({"some parts"})
_IN, _BRAND, _OTHER = frozenset({"in label"}), frozenset({"brand label"}), frozenset({"other label"})


@dataclass(frozen=True, slots=True)
class SetPart:
    """One thing of a set: its type's key in the vocabulary, and what is asked of it."""

    noun: str
    conditions: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Shared:
    """A detail in which some parts of a set must agree: its key, and their nouns."""

    key: str
    nouns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SetRequest:
    """A customer's wish for a set of things.

    Args:
        parts: each of another noun.
        least: how many of the parts are needed.
        fit: whether the parts have to fit each other.
        shared: details in which parts must agree.
        budget: the most that all of it may cost, minor units.
        goal: what the set should be the best in.
        rated: where the goal is ``"rating"``, the noun of the part that it is about, ``""`` for all.
        scope: the name of the place to look in.
        scope_kind: ``"collection"``, ``"page"`` or ``"list"``.
    """

    parts: tuple[SetPart, ...]
    least: int
    fit: bool
    shared: tuple[Shared, ...]
    budget: int
    goal: Literal["any", "price", "rating"]
    rated: str
    scope: str
    scope_kind: str

    def meaning(self) -> tuple[object, ...]:
        """A form that is equal for requests that ask the same.

        >>> one = SetRequest((SetPart("lamp"), SetPart("rug")), 2, False, (), 900, "any", "", "Sale", "page")
        >>> one.meaning() == replace(one, parts=one.parts[::-1]).meaning()
        True
        """
        parts = {part.noun: canonical(AllOf(part.conditions)) if part.conditions else () for part in self.parts}
        shared = tuple(sorted((one.key, *sorted(one.nouns)) for one in self.shared))
        rest = (self.least, self.fit, shared, self.budget, self.goal, self.rated)
        return (tuple(sorted(parts.items(), key=repr)), *rest, self.scope.casefold(), self.scope_kind)


@dataclass(frozen=True, slots=True)
class SetCorrection:
    """A change of mind: another budget, or another condition on one part in place of the one on the same detail."""

    budget: int | None = None
    noun: str = ""
    node: Node | None = None


def corrected(request: SetRequest, correction: SetCorrection) -> SetRequest | None:
    """The request after a change of mind; None where it speaks of nothing that was asked.

    >>> asked = SetRequest((SetPart("lamp"), SetPart("rug")), 2, False, (), 900, "any", "", "Sale", "page")
    >>> corrected(asked, SetCorrection(budget=700)).budget
    700
    >>> corrected(asked, SetCorrection(noun="sofa", node=AllOf(()))) is None
    True
    """
    if correction.node is None:
        return None if correction.budget is None else replace(request, budget=correction.budget)
    keys = keys_of(correction.node)
    parts = []
    changed = False
    for part in request.parts:
        if part.noun == correction.noun:
            kept = tuple(node for node in part.conditions if not keys_of(node) & keys)
            changed = len(kept) < len(part.conditions)
            parts.append(SetPart(part.noun, (*kept, correction.node)))
        else:
            parts.append(part)
    return replace(request, parts=tuple(parts)) if changed else None


def _grammar() -> Grammar:
    return load_grammar("grammars.conditions/conditions", "grammars.conditions/things", "grammars.dialogue/bundle")


def bundle_lexicon(vocabulary: Vocabulary) -> Lexicon:
    """The words known to a reader of these requests."""
    return vocabulary.lexicon_with(_grammar().words)


# --- said ------------------------------------------------------------------------------------------------------------


def render_set(
    request: SetRequest,
    corrections: Sequence[SetCorrection],
    project: str,
    fits: Sequence[tuple[str, str]],
    vocabulary: Vocabulary,
    draws: Chance,
    style: str = "plain",
    held_out: bool = False,
) -> tuple[Utterance, ...]:
    """A wish for a set as a customer writes it, then each change of mind, one turn each.

    Args:
        request: the wish as first said; every condition speaks of one detail and passes `wording.can_say`.
        corrections: what changes, in order.
        project: what it is for, ``""`` where nothing is said of it.
        fits: (noun, noun it fits) of all pairs among the parts, where they have to fit.
        vocabulary: the names in reach.
        draws: the source of chance.
        style: ``"plain"``, ``"chatty"``, ``"polite"`` or ``"terse"``.
        held_out: use held-out wording.

    Raises:
        InvalidArgument: on a correction of what was not said.
    """
    realizer = SentenceRealizer(vocabulary, _grammar(), draws, style, held_out, ONE)
    names = (request.scope, project)
    turns = [Utterance.of(_first_turn(request, project, fits, realizer), names)]
    for correction in corrections:
        after = corrected(request, correction)
        if after is None:
            raise InvalidArgument("corrections", correction.noun, "must change what was said of a part, or the budget")
        turns.append(Utterance.of(realizer.message([_change(correction, realizer)]), names))
        request = after
    return tuple(turns)


def _first_turn(request: SetRequest, project: str, fits: Sequence[tuple[str, str]], realizer: SentenceRealizer) -> str:
    texts, later = _parts(request, realizer)
    plain = len([part for part in request.parts if part.conditions]) == len(later)
    flags = _PLAIN if plain else _COMMA
    parts = _part_list(texts, flags | _COMMA if len(texts) > _FEW else flags, realizer)
    if request.least < len(request.parts):
        ask = realizer.sentence("ask some", count=number_text(request.least), parts=parts)
    else:
        ask = realizer.sentence("ask", parts=parts)
    rest = [realizer.sentence("budget", amount=_money(request.budget, realizer))]
    if request.fit:
        rest.append(_fit(fits, realizer))
    rest += [_same(one, request, realizer) for one in request.shared]
    rest += [_about(part, realizer) for part in later]
    if request.scope:
        where = realizer.where(request.scope_kind, request.scope, True)
        rest.append(realizer.sentence("look", where=where))
    if realizer.manner(2):
        rest += realizer.small_talk("chatter")
    rest = shuffled(rest, realizer.draws)
    goal = _goal(request, realizer)
    if goal:
        rest.insert(0 if realizer.often(12) else len(rest), goal)
    greets = first_word(ask) in ("hi", "hello", "hey", "hiya")
    opening = realizer.small_talk("greeting") if realizer.manner(0) and not greets else []
    said = [ask]
    if project:
        # A greeting opens the message.
        said.insert(0 if realizer.often(40) and not greets else 1, realizer.sentence("project", project=project))
    closing = realizer.small_talk("closing") if realizer.manner(1) else []
    return realizer.message([*opening, *said, *rest, *closing])


def _parts(request: SetRequest, realizer: SentenceRealizer) -> tuple[list[str], list[SetPart]]:
    """Each part as a phrase, and those of which more has to be said in sentences of their own."""
    texts, later = [], []
    for part in request.parts:
        nodes = [node for condition in part.conditions for node in flatten(condition)]
        if any(simple(node) is None for node in nodes):
            raise InvalidArgument("conditions", part.conditions, "must each speak of one detail")
        if nodes and realizer.often(35):
            later.append(replace(part, conditions=tuple(nodes)))
            nodes = []
        head, left = realizer.head(part.noun, nodes, False)
        slots = {"head": head, "chain": realizer.chain(left)} if left else {"head": head}
        texts.append(realizer.say("part", "part", wanted=realizer.say("wanted", "wanted", **slots)))
    return texts, later


def _part_list(texts: Sequence[str], flags: frozenset[str], realizer: SentenceRealizer) -> str:
    *rest, text = texts
    for place, item in enumerate(reversed(rest)):
        text = realizer.say("parts", "longer items" if place else "more items", flags, item=item, rest=text)
    return text


def _money(amount: int, realizer: SentenceRealizer) -> str:
    return realizer.vocabulary.currency.short(amount)


def _noun(noun: str, realizer: SentenceRealizer) -> str:
    return realizer.vocabulary.noun_text(noun, False)


def _fit(fits: Sequence[tuple[str, str]], realizer: SentenceRealizer) -> str:
    if len(fits) == 1 and realizer.often(60):
        source, target = (_noun(noun, realizer) for noun in fits[0])
        return realizer.sentence("fit pair", source=source, target=target)
    return realizer.sentence("fit")


def _same(shared: Shared, request: SetRequest, realizer: SentenceRealizer) -> str:
    attribute = realizer.vocabulary.attributes[shared.key]
    label = quoted(attribute.label)
    if len(shared.nouns) == len(request.parts):
        return realizer.say("sentence", "share", _how(attribute) | _EVERY, label=label)
    items = [realizer.say("named", "named", noun=_noun(noun, realizer)) for noun in shared.nouns]
    names = realizer.item_list("names", shuffled(items, realizer.draws))
    return realizer.say("sentence", "share", _how(attribute) | _SOME, names=names, label=label)


def _how(attribute: Attribute) -> frozenset[str]:
    return _BRAND if attribute.key == "brand" else _IN if own_prefix(attribute) == "in" else _OTHER


def _about(part: SetPart, realizer: SentenceRealizer) -> str:
    return realizer.sentence(
        "about", noun=_noun(part.noun, realizer), chain=realizer.chain(part.conditions, light=True)
    )


def _goal(request: SetRequest, realizer: SentenceRealizer) -> str:
    if request.goal == "price":
        return realizer.sentence("goal price")
    if request.goal == "rating":
        if request.rated:
            return realizer.sentence("goal part", noun=_noun(request.rated, realizer))
        return realizer.sentence("goal rating")
    return realizer.sentence("goal any") if realizer.often(50) else ""


def _change(correction: SetCorrection, realizer: SentenceRealizer) -> str:
    if correction.node is None:
        return realizer.sentence("change budget", amount=_money(correction.budget or 0, realizer))
    modifier = realizer.light(correction.node)
    return realizer.sentence("change about", noun=_noun(correction.noun, realizer), modifier=modifier)


# --- read ------------------------------------------------------------------------------------------------------------


def parse_set(turns: Sequence[str], vocabulary: Vocabulary, scope: str | None = None) -> list[SetRequest]:
    """Every way to understand a customer's turns as one wish for a set, with changes of mind applied.

    Args:
        turns: the customer's messages, oldest first.
        vocabulary: the names in reach; the page's are enough.
        scope: the name of the place in view, or None where any may be named.
    """
    reader = SetParser(vocabulary, scope)
    names = [] if scope is None else [scope]
    parser = Parser(reader.terminals, reader.meanings)
    found: dict[Any, SetRequest] = {}
    for events in parse_turns(turns, _grammar(), parser, bundle_lexicon(vocabulary), names):
        request = _compose(events)
        if request is not None:
            found.setdefault(request.meaning(), request)
    return list(found.values())


def _compose(events: Sequence[Event]) -> SetRequest | None:
    """The request that events make, or None where they do not make one."""
    parts: dict[str, tuple[Node, ...]] = {}
    single: dict[str, Event] = {}
    abouts: list[Event] = []
    shared: list[Event] = []
    changes: list[SetCorrection] = []
    pairs: list[Event] = []
    for event in events:
        name, *rest = event
        if name == "part":
            if rest[0] in parts:
                return None
            parts[rest[0]] = rest[1]
        elif name == "about":
            abouts.append(event)
        elif name == "share":
            shared.append(event)
        elif name == "change":
            changes.append(SetCorrection(*rest))
        elif name in single:
            return None
        else:
            single[name] = tuple(rest)
            pairs += [event] if name == "fit" and rest else []
    mentioned = [noun for _, noun, _ in abouts] + [noun for _, _, nouns in shared for noun in nouns]
    mentioned += [noun for _, *nouns in pairs for noun in nouns]
    goal, rated = single.get("goal", ("any", ""))
    if not parts or "budget" not in single or any(noun not in parts for noun in [*mentioned, *[rated][: len(rated)]]):
        return None
    for _, noun, nodes in abouts:
        parts[noun] = (*parts[noun], *nodes)
    least = single["least"][0] if "least" in single else len(parts)
    if not 1 <= least <= len(parts):
        return None
    kind, scope = single.get("scope", ("", ""))
    request: SetRequest | None = SetRequest(
        tuple(SetPart(noun, nodes) for noun, nodes in parts.items()),
        least,
        "fit" in single,
        tuple(Shared(key, nouns or tuple(parts)) for _, key, nouns in shared),
        single["budget"][0],
        goal,
        rated,
        scope,
        kind,
    )
    for change in changes:
        request = None if request is None else corrected(request, change)
    return request


def _some_words(tokens: Sequence[Token], at: int) -> Ends:
    """What a project is called: whatever stands between two marks."""
    end = at
    found: Ends = []
    while end < len(tokens) and tokens[end].norm not in PUNCTUATION:
        end += 1
        found.append((end, ""))
    return found


class SetParser(ShoppingParser):
    """The terminals and meanings of wishes for a set over one vocabulary; a sentence means a tuple of events."""

    def __init__(self, vocabulary: Vocabulary, scope: str | None) -> None:
        super().__init__(vocabulary, scope)
        self.terminals["project"] = _some_words
        self.meanings.update(self._part_meanings())
        self.meanings.update(self._set_meanings())

    def _part_meanings(self) -> dict[str, Meaning]:
        def part(slots: Slots) -> list[Any]:
            noun = next(name for kind, name, *_ in slots["wanted"] if kind == "noun")
            nodes = tuple(event[1] for event in slots["wanted"] if event[0] == "condition")
            return [("part", noun, nodes)] if noun else []

        def asked(slots: Slots) -> list[Any]:
            least = (("least", slots["count"]),) if "count" in slots else ()
            return [(*least, *slots["parts"])]

        def wanted(slots: Slots) -> list[Any]:
            return [(*slots["head"], *(("condition", node) for node in slots.get("chain", ())))]

        return {
            "wanted": wanted,
            "part": part,
            "named": lambda slots: [slots["noun"]] if slots["noun"] else [],
            "ask": asked,
            "ask some": asked,
        }

    def _set_meanings(self) -> dict[str, Meaning]:
        def nothing(slots: Slots) -> list[Any]:
            return [()]

        def budget(make: Callable[[int], Event]) -> Meaning:
            def meaning(slots: Slots) -> list[Any]:
                amount = self._position("price", slots["amount"])
                whole = amount is not None and amount[0].denominator == 1
                return [(make(int(amount[0])),)] if whole and amount is not None else []

            return meaning

        def of(name: str, *slots_of: str) -> Meaning:
            return lambda slots: [((name, *(slots[slot] for slot in slots_of)),)]

        def goal(kind: str) -> Meaning:
            return lambda slots: [(("goal", kind, slots.get("noun", "")),)]

        def share(slots: Slots) -> list[Any]:
            fits = self._kind(slots["label"]) == "choice"
            return [(("share", slots["label"], tuple(slots.get("names", ()))),)] if fits else []

        return {
            "project": nothing,
            "budget": budget(lambda amount: ("budget", amount)),
            "fit": lambda slots: [(("fit",),)],
            "fit pair": of("fit", "source", "target"),
            "share": share,
            "about": lambda slots: [(("about", slots["noun"], tuple(slots["chain"])),)],
            "goal any": goal("any"),
            "goal price": goal("price"),
            "goal rating": goal("rating"),
            "goal part": goal("rating"),
            "change budget": budget(lambda amount: ("change", amount)),
            "change about": lambda slots: [(("change", None, slots["noun"], slots["modifier"]),)],
        }
