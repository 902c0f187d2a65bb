"""A customer's question about an order, put into words: one turn for the question, one for each change of mind."""

from collections.abc import Sequence
from datetime import date

from ecomrlve.grammars.conditions.attributes import Currency
from ecomrlve.grammars.dialogue.noise import Utterance
from ecomrlve.grammars.dialogue.references import (
    THIS_MONTH,
    OrderReference,
    ReferenceRealizer,
    currency_vocabulary,
    quoted_name,
    render_month,
    render_recent_day,
)
from ecomrlve.grammars.dialogue.sentences import SentenceRealizer, shuffled
from ecomrlve.grammars.dialogue.status.request import (
    NAMED,
    ORDINALS,
    Mark,
    StatusCorrection,
    StatusRequest,
    status_grammar,
)
from ecomrlve.grammars.engine.grammar import Chance

# So many things said of it leave room for a verb behind.
_SHORT = 2
# References that are said of an order by its name; the others follow it.
_KNOWN = (*ORDINALS, "placed")


class StatusRealizer(ReferenceRealizer):
    """One customer who waits for something."""

    __slots__ = ()

    def number(self, request: StatusRequest) -> None:
        """Set the flags that the words depend on."""
        said = len(request.references) + len(request.looks) + bool(request.maker) + (request.price is not None)
        said += request.about == "order" and bool(request.item)
        self.realizer.flags = frozenset({"many" if request.many else "one", *(("short",) if said <= _SHORT else ())})

    def order(self, order: OrderReference) -> str:
        """The references to the order, as one mark of the thing."""
        return self.realizer.say("mark", "from consignment", consignment=self.consignment(order, ""))

    def known(self, reference: OrderReference) -> str:
        """An order by its place or its day."""
        if reference[0] == "placed":
            return self.realizer.say("order", "placed on", date=render_recent_day(reference[1], self.today))
        return self.realizer.say("order", reference[0])

    def trait(self, reference: OrderReference) -> str:
        """What else is said of an order."""
        say, kind = self.realizer.say, reference[0]
        if kind == "destination":
            return say("trait", kind, city=quoted_name(reference[1]))
        if kind == "gift":
            return say("trait", kind, person=quoted_name(reference[1]))
        if kind == "total":
            return say("trait", kind, price=self.currency.text(reference[1]))
        if reference[1:] == (self.today.year, self.today.month):
            return say("trait", "placed now", now=" ".join(THIS_MONTH))
        return say("trait", "placed in", month=render_month(reference[1], reference[2], self.today))

    def consignment(self, references: Sequence[OrderReference], thing: str) -> str:
        """An order, by all that is said of it; what it holds comes last.

        Args:
            references: to it.
            thing: that it holds, as a phrase, or ``""``.
        """
        say = self.realizer.say
        traits = [self.trait(one) for one in references if one[0] not in _KNOWN]
        traits = shuffled(traits, self.realizer.draws)
        if thing:
            traits.append(say("trait", "contents", thing=thing))
        known = next((one for one in references if one[0] in _KNOWN), None)
        slots = {} if known is None else {"order": self.known(known)}
        if not traits:
            return say("consignment", "known order" if slots else "plain order", **slots)
        chain = say("traits", "trait", trait=traits[-1])
        for trait in reversed(traits[:-1]):
            chain = say("traits", "more traits", trait=trait, rest=chain)
        return say("consignment", "known order with traits" if slots else "order with traits", **slots, traits=chain)

    def asked(self, request: StatusRequest, line: str, order: str) -> list[str]:
        """The question, and what is said of it in sentences of their own.

        Args:
            request: what is asked.
            line: the meaning of the sentence that asks about an item.
            order: the meaning of the one that asks about an order.
        """
        realizer = self.realizer
        self.number(request)
        if request.about == "line":
            later = [request.references[-1]] if len(request.references) > 1 and realizer.often(35) else []
            kept = tuple(one for one in request.references if one not in later)
            sentence = realizer.sentence(line, thing=self.thing(_Said(request, kept)))
            return [sentence, *(realizer.sentence("detail line", mark=self.order((one,))) for one in later)]
        thing = self.thing(_Said(request, ())) if request.item else ""
        traits = [one for one in request.references if one[0] not in _KNOWN]
        held = bool(thing) and bool(request.references) and realizer.often(35)
        apart = not held and bool(traits) and len(request.references) + bool(thing) > 1 and realizer.often(35)
        later = traits[-1:] if apart else []
        kept = tuple(one for one in request.references if one not in later)
        sentence = realizer.sentence(order, consignment=self.consignment(kept, "" if held else thing))
        rest = [realizer.sentence("detail order", trait=self.trait(one)) for one in later]
        if held:
            contents = realizer.say("trait", "contents", thing=thing)
            rest.append(realizer.sentence("detail order", trait=contents))
        return [sentence, *rest]

    def first(self, request: StatusRequest, on_form: bool) -> str:
        """The first turn."""
        realizer = self.realizer
        question = self.asked(request, "ask line", "ask order")
        rest = [realizer.sentence(request.complaint)] if request.complaint else []
        if realizer.manner(2):
            rest += realizer.small_talk("chatter")
        rest = shuffled(rest, realizer.draws)
        if on_form:
            rest.append(realizer.sentence("see form"))
        opening = realizer.small_talk("greeting") if realizer.manner(0) else []
        closing = realizer.small_talk("closing") if realizer.manner(1) else []
        return realizer.message([*opening, *question, *rest, *closing])

    def changed(self, correction: StatusCorrection) -> str:
        """The turn of a change of mind."""
        realizer, request = self.realizer, correction.request
        self.number(request)
        old, new = correction.old, correction.new
        if old is None or new is None:
            complaint = [realizer.sentence(request.complaint)] if request.complaint else []
            return realizer.message([*self.asked(request, "another line", "another order"), *complaint])
        if new[0] == "order" and request.about == "order":
            if new[1][0] in _KNOWN:
                known = {"new": self.known(new[1]), "old": self.known(old[1])}
                return realizer.message([realizer.sentence("other order", **known)])
            traits = {"new": self.trait(new[1]), "old": self.trait(old[1])}
            return realizer.message([realizer.sentence("other trait", **traits)])
        marks = {"new": self.mark(request, new), "old": self.mark(request, old)}
        if request.about == "order":
            raise ValueError(f"{new} is no mark of an order")
        return realizer.message([realizer.sentence("other mark", **marks)])

    def mark(self, request: StatusRequest, mark: Mark) -> str:
        """One thing said, as a mark of the thing."""
        kind, value = mark
        if kind == "order":
            return self.order((value,))
        if kind == "look":
            return self.look(request, value)
        if kind == "maker":
            return self.realizer.say("mark", "maker", maker=quoted_name(value))
        return self.realizer.say("mark", "price", price=self.currency.text(value))


class _Said:
    """A request with some of the references to its order."""

    __slots__ = ("item", "looks", "maker", "order", "prepositions", "price")

    def __init__(self, request: StatusRequest, references: tuple[OrderReference, ...]) -> None:
        self.item, self.looks, self.prepositions = request.item, request.looks, request.prepositions
        self.maker, self.price = request.maker, request.price
        self.order: OrderReference | None = references or None


def render_status(
    request: StatusRequest,
    corrections: Sequence[StatusCorrection],
    currency: Currency,
    today: date,
    draws: Chance,
    style: str = "plain",
    held_out: bool = False,
    *,
    on_form: bool = False,
) -> tuple[Utterance, ...]:
    """A question about an order as a customer writes it, then each change of mind, one turn each.

    Args:
        request: as first said.
        corrections: what changes, in order.
        currency: of prices.
        today: the day of the message.
        draws: the source of chance.
        style: ``"plain"``, ``"chatty"``, ``"polite"`` or ``"terse"``.
        held_out: use held-out wording where there is any.
        on_form: say that the rest is in the contact form.

    >>> class First:
    ...     def below(self, bound):
    ...         return 0
    >>> from ecomrlve.grammars.conditions.attributes import CURRENCIES
    >>> request = StatusRequest("line", "rain jacket", ("navy",), references=(("last",),))
    >>> render_status(request, (), CURRENCIES["USD"], date(2026, 3, 11), First())[0].text.split(". ")[1]
    'Where is the navy rain jacket from my last order? I hope you can help'
    """
    sentences = SentenceRealizer(currency_vocabulary(currency), status_grammar(), draws, style, held_out)
    realizer = StatusRealizer(sentences, currency, today)
    names: list[str] = []
    for one in (request, *(correction.request for correction in corrections)):
        names += [one.item, one.maker, *one.looks]
        names += [reference[1] for reference in one.references if reference[0] in NAMED]
    for correction in corrections:
        for mark in (correction.old, correction.new):
            if mark is not None and mark[0] in ("look", "maker"):
                names.append(mark[1])
            if mark is not None and mark[0] == "order" and mark[1][0] in NAMED:
                names.append(mark[1][1])
    turns = [realizer.first(request, on_form), *(realizer.changed(correction) for correction in corrections)]
    return tuple(Utterance.of(turn, dict.fromkeys(names)) for turn in turns)
