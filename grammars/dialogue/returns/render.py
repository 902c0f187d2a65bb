"""A customer's wish to send something back, put into words: one turn for the wish, one for each change of mind."""

from collections.abc import Sequence
from datetime import date

from ecomrlve.grammars.conditions.attributes import Currency
from ecomrlve.grammars.dialogue.noise import Utterance
from ecomrlve.grammars.dialogue.references import ReferenceRealizer, currency_vocabulary, quoted_name, render_number
from ecomrlve.grammars.dialogue.returns.request import ReturnCorrection, ReturnRequest, return_grammar
from ecomrlve.grammars.dialogue.sentences import SentenceRealizer, shuffled
from ecomrlve.grammars.engine.grammar import Chance

# A version is "the same one in …", whatever the option is.
_VERSION_PREPOSITIONS = {"in": "in", "size": "size", "made of": "in", "finished in": "in", "upholstered in": "in"}


class ReturnRealizer(ReferenceRealizer):
    """One customer with a return."""

    __slots__ = ()

    def number(self, request: ReturnRequest) -> None:
        """Set the flags that the words depend on."""
        flags = {"many" if request.many else "one"} | ({"worn"} if request.worn else set())
        self.realizer.flags = frozenset(flags)

    def version(self, request: ReturnRequest) -> str:
        """What is wanted in exchange."""
        say = self.realizer.say
        if not request.version:
            return say("version", "same again")
        kinds = [
            _VERSION_PREPOSITIONS.get(request.prepositions.get(value, "in"), "version") for value in request.version
        ]
        values = say("values", f"value {kinds[-1]}", value=quoted_name(request.version[-1]))
        for kind, value in zip(reversed(kinds[:-1]), reversed(request.version[:-1]), strict=True):
            values = say("values", f"more values {kind}", value=quoted_name(value), rest=values)
        return say("version", "version", values=values)

    def wish(self, request: ReturnRequest, again: str = "") -> str:
        """The wish as a sentence of its own."""
        if request.wish == "money":
            return self.realizer.sentence(f"money{again}")
        return self.realizer.sentence(f"exchange{again}", version=self.version(request))

    def first(self, request: ReturnRequest, on_form: bool) -> str:
        """The first turn."""
        realizer = self.realizer
        self.number(request)
        thing = self.thing(request)
        parts: list[str] = []
        if realizer.often(55):
            slots = {"version": self.version(request)} if request.wish == "exchange" else {}
            parts.append(realizer.sentence(f"about {request.wish}", thing=thing, **slots))
            rest = []
        else:
            parts.append(realizer.sentence("about", thing=thing))
            rest = [self.wish(request)]
        if request.reason is not None:
            rest.append(realizer.sentence(f"reason {request.reason}"))
        if request.condition is not None:
            rest.append(realizer.sentence(f"condition {request.condition}"))
        if request.count is not None and request.bought > 1:
            rest.append(self.counted(request))
        if realizer.manner(2):
            rest += realizer.small_talk("chatter")
        rest = shuffled(rest, realizer.draws)
        if on_form:
            rest.append(realizer.sentence("see form"))
        opening = realizer.small_talk("greeting") if realizer.manner(0) else []
        closing = realizer.small_talk("closing") if realizer.manner(1) else []
        return realizer.message([*opening, *parts, *rest, *closing])

    def counted(self, request: ReturnRequest) -> str:
        """How many of those bought come back."""
        bought, count = render_number(request.bought), render_number(request.count or 1)
        if request.count != request.bought:
            return self.realizer.sentence("some of", bought=bought, count=count)
        if request.bought == 2:
            return self.realizer.sentence("both")
        return self.realizer.sentence("all of", bought=bought)

    def changed(self, correction: ReturnCorrection) -> str:
        """The turn of a change of mind."""
        realizer, request = self.realizer, correction.request
        self.number(request)
        if correction.target == "count":
            if request.count == request.bought == 2:
                parts = [realizer.sentence("recount both")]
            else:
                parts = [realizer.sentence("recount", count=render_number(request.count or 1))]
        elif correction.target == "wish":
            parts = [self.wish(request, " again")]
        elif correction.target == "look":
            parts = [
                realizer.sentence(
                    "other look", look=self.look(request, correction.new), old=self.look(request, correction.old)
                )
            ]
        else:
            # What was opened cannot be closed again: the customer had another thing in mind.
            again = "sealed after all" if request.condition == "unopened" else "state again"
            parts = [realizer.sentence(again), realizer.sentence(f"condition {request.condition}")]
        return realizer.message(parts)


def render_return(
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
    >>> turn = render_return(request, (), CURRENCIES["USD"], date(2026, 3, 11), First())[0]
    >>> turn.text.split(". ")[1]
    "I'd like to return the navy rain jacket from my last order and get my money back"
    """
    sentences = SentenceRealizer(currency_vocabulary(currency), return_grammar(), draws, style, held_out)
    realizer = ReturnRealizer(sentences, currency, today)
    names = [request.item, request.maker]
    for one in (request, *(correction.request for correction in corrections)):
        names += [*one.looks, *one.version]
    names += [name for correction in corrections for name in (correction.old, correction.new)]
    turns = [realizer.first(request, on_form), *(realizer.changed(correction) for correction in corrections)]
    return tuple(Utterance.of(turn, dict.fromkeys(names)) for turn in turns)
