"""A customer's wish to send something back, put into words: one turn for the wish, one for each change of mind."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from ecomrlve.grammars.conditions.attributes import Currency
from ecomrlve.grammars.conditions.vocabulary import Vocabulary
from ecomrlve.grammars.dialogue.noise import Utterance
from ecomrlve.grammars.dialogue.returns.request import (
    THIS_MONTH,
    OrderReference,
    ReturnCorrection,
    ReturnRequest,
    day_said,
    month_said,
    number_said,
    return_grammar,
    said_name,
)
from ecomrlve.grammars.dialogue.sentences import Speaker, shuffled
from ecomrlve.grammars.engine.grammar import Chance

# A version is "the same one in …", whatever the option is.
_VERSION_MANNERS = {"in": "in", "size": "size", "made of": "in", "finished in": "in", "upholstered in": "in"}
_ONLY_CLAUSE = frozenset({"only clause"})


def _goes_before(look: str, request: ReturnRequest) -> bool:
    """Whether an option reads well before the noun: "the navy rain jacket"."""
    return (
        request.manners.get(look, "in") == "in"
        and look.replace(" ", "").isalpha()
        and look.islower()
        and said_name(look) == look
    )


@dataclass(slots=True)
class _Teller:
    """One customer with a return."""

    speaker: Speaker
    currency: Currency
    today: date

    def number(self, request: ReturnRequest) -> None:
        """Set the flags that the words depend on."""
        flags = {"many" if request.many else "one"} | ({"worn"} if request.worn else set())
        self.speaker.flags = frozenset(flags)

    def thing(self, request: ReturnRequest) -> str:
        """The noun phrase: an option before the noun at times, after it the rest: options, maker, price, order."""
        say = self.speaker.say
        looks = list(request.looks)
        item = said_name(request.item)
        if looks and _goes_before(looks[0], request) and self.speaker.often(50):
            head = say("head", "head of a look", look=looks.pop(0), item=item)
        else:
            head = say("head", "head", item=item)
        # Options stay together: "in green in the 5 m version by Acme".
        marks = shuffled([self.look(request, look) for look in looks], self.speaker.draws)
        if request.maker:
            marks.insert(len(marks) * self.speaker.often(50), say("mark", "maker", maker=said_name(request.maker)))
        if request.price is not None:
            only = frozenset() if request.order and request.order[0] in ("month", "delivered") else _ONLY_CLAUSE
            marks.append(say("mark", "price", only, price=self.currency.text(request.price)))
        if request.order is not None:
            marks.append(self.order(request.order))
        if not marks:
            return say("thing", "thing", head=head)
        chain = say("marks", "mark", mark=marks[-1])
        for mark in reversed(marks[:-1]):
            chain = say("marks", "more marks", mark=mark, rest=chain)
        return say("thing", "marked thing", head=head, marks=chain)

    def look(self, request: ReturnRequest, look: str) -> str:
        """An option, as a mark of the thing."""
        return self.speaker.say("mark", f"look {request.manners.get(look, 'in')}", look=said_name(look))

    def order(self, order: OrderReference) -> str:
        """Which order, as a mark of the thing."""
        say = self.speaker.say
        if order[0] == "month" and order[1:] == (self.today.year, self.today.month):
            return say("mark", "ordered now", now=" ".join(THIS_MONTH))
        if order[0] == "month":
            return say("mark", "ordered in", month=month_said(order[1], order[2], self.today))
        if order[0] == "delivered":
            return say("mark", "delivered on", date=day_said(order[1], self.today))
        if order[0] == "placed":
            return say("mark", "order", order=say("order", "placed on", date=day_said(order[1], self.today)))
        return say("mark", "order", order=say("order", order[0]))

    def version(self, request: ReturnRequest) -> str:
        """What is wanted in exchange."""
        say = self.speaker.say
        if not request.version:
            return say("version", "same again")
        kinds = [_VERSION_MANNERS.get(request.manners.get(value, "in"), "version") for value in request.version]
        values = say("values", f"value {kinds[-1]}", value=said_name(request.version[-1]))
        for kind, value in zip(reversed(kinds[:-1]), reversed(request.version[:-1]), strict=True):
            values = say("values", f"more values {kind}", value=said_name(value), rest=values)
        return say("version", "version", values=values)

    def wish(self, request: ReturnRequest, again: str = "") -> str:
        """The wish as a sentence of its own."""
        if request.wish == "money":
            return self.speaker.sentence(f"money{again}")
        return self.speaker.sentence(f"exchange{again}", version=self.version(request))

    def first(self, request: ReturnRequest, on_form: bool) -> str:
        """The first turn."""
        speaker = self.speaker
        self.number(request)
        thing = self.thing(request)
        parts: list[str] = []
        if speaker.often(55):
            slots = {"version": self.version(request)} if request.wish == "exchange" else {}
            parts.append(speaker.sentence(f"about {request.wish}", thing=thing, **slots))
            rest = []
        else:
            parts.append(speaker.sentence("about", thing=thing))
            rest = [self.wish(request)]
        if request.reason is not None:
            rest.append(speaker.sentence(f"reason {request.reason}"))
        if request.condition is not None:
            rest.append(speaker.sentence(f"condition {request.condition}"))
        if request.count is not None and request.bought > 1:
            rest.append(self.counted(request))
        if speaker.manner(2):
            rest += speaker.small_talk("chatter")
        rest = shuffled(rest, speaker.draws)
        if on_form:
            rest.append(speaker.sentence("see form"))
        opening = speaker.small_talk("greeting") if speaker.manner(0) else []
        closing = speaker.small_talk("closing") if speaker.manner(1) else []
        return speaker.message([*opening, *parts, *rest, *closing])

    def counted(self, request: ReturnRequest) -> str:
        """How many of those bought come back."""
        bought, count = number_said(request.bought), number_said(request.count or 1)
        if request.count != request.bought:
            return self.speaker.sentence("some of", bought=bought, count=count)
        if request.bought == 2:
            return self.speaker.sentence("both")
        return self.speaker.sentence("all of", bought=bought)

    def changed(self, correction: ReturnCorrection) -> str:
        """The turn of a change of mind."""
        speaker, request = self.speaker, correction.request
        self.number(request)
        if correction.target == "count":
            if request.count == request.bought == 2:
                parts = [speaker.sentence("recount both")]
            else:
                parts = [speaker.sentence("recount", count=number_said(request.count or 1))]
        elif correction.target == "wish":
            parts = [self.wish(request, " again")]
        elif correction.target == "look":
            parts = [
                speaker.sentence(
                    "other look", look=self.look(request, correction.new), old=self.look(request, correction.old)
                )
            ]
        else:
            # What was opened cannot be closed again: the customer had another thing in mind.
            again = "sealed after all" if request.condition == "unopened" else "state again"
            parts = [speaker.sentence(again), speaker.sentence(f"condition {request.condition}")]
        return speaker.message(parts)


@lru_cache(maxsize=16)
def _vocabulary(currency: Currency) -> Vocabulary:
    return Vocabulary({}, {}, {}, currency)


def say_return(
    request: ReturnRequest,
    corrections: Sequence[ReturnCorrection],
    currency: Currency,
    today: date,
    draws: Chance,
    style: str = "plain",
    held_out: bool = False,
    *,
    on_form: bool = False,
) -> tuple[Utterance, ...]:
    """A wish to send something back as a customer writes it, then each change of mind, one turn each.

    Args:
        request: as first said.
        corrections: what changes, in order.
        currency: of prices.
        today: the day of the message.
        draws: the source of chance.
        style: ``"plain"``, ``"chatty"``, ``"polite"`` or ``"terse"``.
        held_out: use held-out wording where there is any.
        on_form: say that the rest is in the return form.

    >>> class First:
    ...     def below(self, bound):
    ...         return 0
    >>> from ecomrlve.grammars.conditions.attributes import CURRENCIES
    >>> request = ReturnRequest("rain jacket", ("navy",), order=("last",), reason="faulty", condition="used")
    >>> turn = say_return(request, (), CURRENCIES["USD"], date(2026, 3, 11), First())[0]
    >>> turn.text.split(". ")[1]
    "I'd like to return the navy rain jacket from my last order and get my money back"
    """
    speaker = Speaker(_vocabulary(currency), return_grammar(), draws, style, held_out)
    teller = _Teller(speaker, currency, today)
    names = [request.item, request.maker]
    for one in (request, *(correction.request for correction in corrections)):
        names += [*one.looks, *one.version]
    names += [name for correction in corrections for name in (correction.old, correction.new)]
    turns = [teller.first(request, on_form), *(teller.changed(correction) for correction in corrections)]
    return tuple(Utterance.of(turn, dict.fromkeys(names)) for turn in turns)
