"""The rules a return policy is made of, and the case they are asked about.

Two kinds of rule. A deciding rule fits a case or not, and says whether the return is accepted, may only be exchanged,
or is refused. An amount rule changes what is paid.
"""

from dataclasses import dataclass
from datetime import date
from typing import ClassVar, Literal

Answer = Literal["accept", "exchange", "share", "refuse"]

TIERS = ("standard", "plus", "gold")
CONDITIONS = ("unopened", "opened", "used")
FAULTS = ("faulty", "damaged_in_transit", "wrong_item")
"""Reasons that a fault rule can name."""
REASONS = ("changed_mind", "does_not_fit", "ordered_by_mistake", "arrived_late", *FAULTS)
RETURN_CLASSES = (
    *("clothing", "footwear", "electronics", "media", "furniture", "home", "beauty", "grocery", "toys", "outdoors"),
    *("jewelry", "baby", "automotive", "pets", "garden", "tools", "office", "hygiene"),
)


@dataclass(frozen=True, slots=True)
class Case:
    """One request to send something back: everything a rule can ask about, all of it shown to the agent.

    Args:
        return_class: one of `RETURN_CLASSES`, as the order line shows it.
        tier: one of `TIERS`.
        placed: the day of the order.
        delivered: the day of delivery, day 0 of every window.
        today: the day of the request.
        condition: one of `CONDITIONS`.
        reason: one of `REASONS`.
        final_sale: whether the line is marked so.
        unit_price: price of one unit before the order's discount, minor units.
        bought: units on the line.
        quantity: units sent back, 1 to ``bought``.
        totals: unit price x quantity of every line of the order, as listed.
        line: place of the line among them.
        discount: taken on the whole order, minor units.
        shipping: the order's delivery charge, minor units.
        replacement_price: of the version wanted in exchange, its unit price today, or what was paid where it is the
            same version again; None where money is wanted, or where that version cannot be had.
        sold_out: whether an exchange is wanted and there are not so many units of that version.

    >>> day = date(2026, 3, 1)
    >>> case = Case(
    ...     "toys", "plus", day, day, date(2026, 3, 11), "opened", "changed_mind", False, 1999, 2, 1, (3998,), 0
    ... )
    >>> case.days, case.whole_order
    (10, False)
    """

    return_class: str
    tier: str
    placed: date
    delivered: date
    today: date
    condition: str
    reason: str
    final_sale: bool
    unit_price: int
    bought: int
    quantity: int
    totals: tuple[int, ...]
    line: int
    discount: int = 0
    shipping: int = 0
    replacement_price: int | None = None
    sold_out: bool = False

    @property
    def days(self) -> int:
        """Days since delivery."""
        return (self.today - self.delivered).days

    @property
    def whole_order(self) -> bool:
        """Whether nothing of the order stays with the customer."""
        return len(self.totals) == 1 and self.quantity == self.bought


@dataclass(frozen=True, slots=True)
class Window:
    """Goods may be returned for so many days; later they are refused under the same rule.

    Without classes, tiers and price it is the general window, for what no other window covers.
    """

    kind: ClassVar[str] = "window"
    decides: ClassVar[bool] = True
    days: int
    classes: tuple[str, ...] = ()
    tiers: tuple[str, ...] = ()
    price_over: int | None = None
    wording: int = 0

    @property
    def general(self) -> bool:
        """Whether this is the window for everything that no other covers."""
        return not self.classes and not self.tiers and self.price_over is None

    def covers(self, case: Case) -> bool:
        """Whether the window is about this case."""
        return (
            (not self.classes or case.return_class in self.classes)
            and (not self.tiers or case.tier in self.tiers)
            and (self.price_over is None or case.unit_price > self.price_over)
        )

    def answer(self, case: Case) -> Answer:
        """What the rule says of a case it covers."""
        return "accept" if case.days <= self.days else "refuse"


@dataclass(frozen=True, slots=True)
class Season:
    """Orders placed between two dates may be returned until a third; all three days count."""

    kind: ClassVar[str] = "season"
    decides: ClassVar[bool] = True
    start: date
    end: date
    until: date
    wording: int = 0

    def covers(self, case: Case) -> bool:
        """Whether the order was placed in the season and its last day has not passed."""
        return self.start <= case.placed <= self.end and case.today <= self.until

    def answer(self, case: Case) -> Answer:
        """What the rule says of a case it covers."""
        return "accept"


@dataclass(frozen=True, slots=True)
class Fault:
    """What went wrong on the shop's side is taken back within its own time, used or not, free of fee and postage."""

    kind: ClassVar[str] = "fault"
    decides: ClassVar[bool] = True
    reasons: tuple[str, ...]
    days: int
    wording: int = 0

    def covers(self, case: Case) -> bool:
        """Whether the reason is one of the rule's and its days have not passed."""
        return case.reason in self.reasons and case.days <= self.days

    def answer(self, case: Case) -> Answer:
        """What the rule says of a case it covers."""
        return "accept"


@dataclass(frozen=True, slots=True)
class Refusal:
    """Goods of some classes, in some condition, or marked final sale are not taken back."""

    kind: ClassVar[str] = "refusal"
    decides: ClassVar[bool] = True
    classes: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    final_sale: bool = False
    wording: int = 0

    def covers(self, case: Case) -> bool:
        """Whether the case has all that the rule names."""
        return (
            (not self.classes or case.return_class in self.classes)
            and (not self.conditions or case.condition in self.conditions)
            and (not self.final_sale or case.final_sale)
        )

    def answer(self, case: Case) -> Answer:
        """What the rule says of a case it covers."""
        return "refuse"


@dataclass(frozen=True, slots=True)
class ExchangeOnly:
    """Goods in some condition may be exchanged for so many days, never refunded."""

    kind: ClassVar[str] = "exchange_only"
    decides: ClassVar[bool] = True
    classes: tuple[str, ...]
    conditions: tuple[str, ...]
    days: int
    wording: int = 0

    def covers(self, case: Case) -> bool:
        """Whether the case has the class and the condition."""
        return case.return_class in self.classes and case.condition in self.conditions

    def answer(self, case: Case) -> Answer:
        """What the rule says of a case it covers."""
        return "exchange" if case.days <= self.days else "refuse"


@dataclass(frozen=True, slots=True)
class Late:
    """After the window that applies has closed: an exchange, or a share of the price, up to a later day."""

    kind: ClassVar[str] = "late"
    decides: ClassVar[bool] = True
    days: int
    classes: tuple[str, ...] = ()
    percent: int | None = None
    wording: int = 0

    def covers(self, case: Case) -> bool:
        """Whether class and days suit; that the window has closed is the policy's to know."""
        return (not self.classes or case.return_class in self.classes) and case.days <= self.days

    def answer(self, case: Case) -> Answer:
        """What the rule says of a case it covers."""
        return "exchange" if self.percent is None else "share"


@dataclass(frozen=True, slots=True)
class Discount:
    """A discount on the whole order is spread over its lines by price; one line takes what rounding leaves."""

    kind: ClassVar[str] = "discount"
    decides: ClassVar[bool] = False
    rest: Literal["first", "last"] = "first"
    wording: int = 0


@dataclass(frozen=True, slots=True)
class Restocking:
    """A fee on refunds of goods in some condition: a percentage of what was paid, or an amount per unit."""

    kind: ClassVar[str] = "restocking"
    decides: ClassVar[bool] = False
    conditions: tuple[str, ...]
    classes: tuple[str, ...] = ()
    percent: int | None = None
    amount: int | None = None
    wording: int = 0


@dataclass(frozen=True, slots=True)
class FeeWaiver:
    """Some members pay no restocking fee."""

    kind: ClassVar[str] = "fee_waiver"
    decides: ClassVar[bool] = False
    tiers: tuple[str, ...]
    wording: int = 0


@dataclass(frozen=True, slots=True)
class Postage:
    """Return postage, once per return, for some reasons or for some classes; a rule for classes goes first."""

    kind: ClassVar[str] = "postage"
    decides: ClassVar[bool] = False
    amount: int
    classes: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    wording: int = 0


@dataclass(frozen=True, slots=True)
class PostageWaiver:
    """Some members pay no return postage."""

    kind: ClassVar[str] = "postage_waiver"
    decides: ClassVar[bool] = False
    tiers: tuple[str, ...]
    wording: int = 0


@dataclass(frozen=True, slots=True)
class ShippingRefund:
    """The order's delivery charge is refunded when the whole order comes back, or under a fault rule."""

    kind: ClassVar[str] = "shipping_refund"
    decides: ClassVar[bool] = False
    wording: int = 0


@dataclass(frozen=True, slots=True)
class ExchangePostage:
    """Return postage is charged on exchanges too."""

    kind: ClassVar[str] = "exchange_postage"
    decides: ClassVar[bool] = False
    wording: int = 0


@dataclass(frozen=True, slots=True)
class Method:
    """Refunds go to the means of payment for so many days after delivery, later to store credit."""

    kind: ClassVar[str] = "method"
    decides: ClassVar[bool] = False
    days: int
    wording: int = 0


Deciding = Window | Season | Fault | Refusal | ExchangeOnly | Late
Amounts = Discount | Restocking | FeeWaiver | Postage | PostageWaiver | ShippingRefund | ExchangePostage | Method
Rule = Deciding | Amounts

TOPICS: dict[str, tuple[str, ...]] = {
    "faults": ("fault",),
    "limits": ("refusal", "exchange_only"),
    "windows": ("season", "late", "window"),
    "charges": (
        *("discount", "restocking", "fee_waiver", "postage", "postage_waiver", "shipping_refund"),
        *("exchange_postage", "method"),
    ),
}
"""Kinds of rule by the heading they can stand under, in the order in which the headings go before one another."""

RULES: dict[str, type[Rule]] = {
    kind.kind: kind
    for kind in (
        *(Window, Season, Fault, Refusal, ExchangeOnly, Late),
        *(Discount, Restocking, FeeWaiver, Postage, PostageWaiver, ShippingRefund, ExchangePostage, Method),
    )
}
"""Every kind of rule by its name."""
