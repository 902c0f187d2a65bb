"""What a product attribute is: its words, its kind, and how an integer code becomes text and a quantity."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Literal

from ecomrlve.grammars.conditions.units import decimal_text

MISSING = -(2**31)
"""The code of a detail that the shop does not give."""

Kind = Literal["choice", "number", "boolean", "money"]


@dataclass(frozen=True, slots=True)
class Currency:
    """A currency: amounts are integers of its minor unit.

    Args:
        code: ISO 4217 code.
        symbol: written before the amount (a trailing space is part of it where the custom is so).
        decimals: digits of the minor unit (2 for dollars, 0 for yen).
        name: as a sentence names it, plural.

    >>> Currency("USD", "$", 2, "US dollars").text(123_456)
    '$1,234.56'
    >>> Currency("JPY", "¥", 0, "Japanese yen").text(1500)
    '¥1,500'
    """

    code: str
    symbol: str
    decimals: int
    name: str

    def text(self, amount: int) -> str:
        """An amount of minor units as the shop writes it; a negative one has its sign in front."""
        sign = "-" if amount < 0 else ""
        whole, rest = divmod(abs(amount), 10**self.decimals)
        tail = f".{rest:0{self.decimals}d}" if self.decimals else ""
        return f"{sign}{self.symbol}{whole:,}{tail}"

    def short(self, amount: int) -> str:
        """As `text`, but a whole amount drops its zero decimals, as people say it.

        >>> Currency("USD", "$", 2, "US dollars").short(4000)
        '$40'
        """
        text = self.text(amount)
        return text[: -1 - self.decimals] if self.decimals and amount % 10**self.decimals == 0 else text


CURRENCIES: dict[str, Currency] = {
    currency.code: currency
    for currency in (
        Currency("USD", "$", 2, "US dollars"),
        Currency("EUR", "€", 2, "euros"),
        Currency("GBP", "£", 2, "pounds sterling"),
        Currency("JPY", "¥", 0, "Japanese yen"),
        Currency("SAR", "SR ", 2, "Saudi riyals"),
        Currency("CAD", "C$", 2, "Canadian dollars"),
        Currency("AUD", "A$", 2, "Australian dollars"),
        Currency("CHF", "CHF ", 2, "Swiss francs"),
        Currency("INR", "₹", 2, "Indian rupees"),
        Currency("KWD", "KD ", 3, "Kuwaiti dinars"),
        Currency("NZD", "NZ$", 2, "New Zealand dollars"),
        Currency("SEK", "SEK ", 2, "Swedish kronor"),
        Currency("NOK", "NOK ", 2, "Norwegian kroner"),
        Currency("DKK", "DKK ", 2, "Danish kroner"),
        Currency("PLN", "PLN ", 2, "Polish zlotys"),
        Currency("CZK", "CZK ", 2, "Czech korunas"),
        Currency("BRL", "R$", 2, "Brazilian reais"),
        Currency("MXN", "MX$", 2, "Mexican pesos"),
        Currency("TRY", "₺", 2, "Turkish liras"),
        Currency("KRW", "₩", 0, "South Korean won"),
        Currency("CNY", "CN¥", 2, "Chinese yuan"),
        Currency("AED", "AED ", 2, "UAE dirhams"),
        Currency("ZAR", "ZAR ", 2, "South African rand"),
        Currency("SGD", "S$", 2, "Singapore dollars"),
        Currency("HKD", "HK$", 2, "Hong Kong dollars"),
    )
}


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute of products, the same in every type that has its key.

    Args:
        key: lower-case name, unique in a catalog.
        label: noun phrase shown in the evidence and said by customers.
        kind: how codes are read: an index into ``values`` (choice), ``round(value * 10**decimals)`` in ``unit``
            (number), 0 or 1 (boolean), minor units of the currency (money).
        values: the choices, as shown.
        phrases: ways to say a choice after the noun, each ending in ``{value}``.
        yes: how a customer asks for the feature, such as ``"with a carry case"``.
        no: how a customer asks for its absence.
        unit: name of a unit in `ecomrlve.grammars.conditions.units.UNITS`; ``""`` for counts.
        decimals: digits after the point in a number's code.
        better: ``"more"`` or ``"less"`` where buyers clearly prefer it.
    """

    key: str
    label: str
    kind: Kind
    values: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    yes: str = ""
    no: str = ""
    unit: str = ""
    decimals: int = 0
    better: Literal["", "more", "less"] = ""
    currency: Currency | None = None

    def __hash__(self) -> int:
        """By key and label: many memories are by attribute, and a shop has thousands of brands to hash."""
        return hash((self.key, self.label))

    def text(self, code: int) -> str:
        """A code as the evidence shows it.

        >>> Attribute("cable", "cable length", "number", unit="m", decimals=1).text(15)
        '1.5 m'
        """
        if self.kind == "choice":
            return self.values[code]
        if self.kind == "boolean":
            return "yes" if code else "no"
        if self.currency is not None:
            return self.currency.text(code)
        number = decimal_text(Fraction(code, 10**self.decimals)) if self.decimals else str(code)
        return f"{number}%" if self.unit == "%" else f"{number} {self.unit}" if self.unit else number

    def code_of(self, value: str) -> int:
        """The code of a choice.

        >>> Attribute("color", "color", "choice", ("red", "blue")).code_of("blue")
        1
        """
        return _codes(self)[value]

    def quantity(self, code: int) -> Fraction:
        """A number's code as an exact quantity in its unit (money: minor units)."""
        return _quantity(code, self.decimals)


@lru_cache(maxsize=1 << 16)
def _quantity(code: int, decimals: int) -> Fraction:
    return Fraction(code, 10**decimals)


@lru_cache(maxsize=1 << 14)
def _codes(attribute: Attribute) -> dict[str, int]:
    return {value: code for code, value in reversed(list(enumerate(attribute.values)))}


# Details that every product has, whatever its type. Their codes come from the catalog's own columns.
def built_in(currency: Currency) -> dict[str, Attribute]:
    """The attributes every product has: price, rating and number of reviews (brand is a choice over the shop's brands).

    >>> sorted(built_in(CURRENCIES["USD"]))
    ['price', 'rating', 'reviews']
    """
    return {
        "price": Attribute("price", "price", "money", currency=currency, better="less"),
        "rating": Attribute("rating", "rating", "number", decimals=1, better="more"),
        "reviews": Attribute("reviews", "reviews", "number", better="more"),
    }
