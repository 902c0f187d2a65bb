"""The values of a choice as customers can say them."""

import re
from collections import Counter
from collections.abc import Iterable

from ecomrlve.generator.catalog.importers.neutral import SHORT
from ecomrlve.generator.catalog.importers.tables import words


def spellings(label: str, texts: Iterable[str]) -> dict[str, str]:
    """Each text to the one way its value is written: cleaned, in the most frequent letter case and spelling.

    >>> spellings("color", ["Grey", "gray", "gray", "Black, matt"])
    {'Grey': 'gray', 'gray': 'gray', 'Black, matt': 'Black matt'}
    """
    counted = Counter(texts)
    cleaned = {text: choice_text(text, label) for text in counted}
    forms: dict[str, Counter[str]] = {}
    for text, value in cleaned.items():
        forms.setdefault(_standard(value), Counter())[value] += counted[text]
    best = {key: max(counter.items(), key=lambda entry: (entry[1], entry[0]))[0] for key, counter in forms.items()}
    return {text: best[_standard(value)] for text, value in cleaned.items()}


def _standard(value: str) -> str:
    low = value.lower()
    for other, usual in words()["spellings"]["pairs"]:
        low = re.sub(rf"\b{other}\b", usual, low)
    return low


_NOTHING = {"none", "no", "nothing", "without"}
_VAGUE = {"other", "others", "any", "various", "n/a", "unknown", "see description", "-", ""}
_BAD_WORD = re.compile(r"\b(?:or|not|with|either|neither|nor|and)\b", re.IGNORECASE)


def choice_text(text: str, label: str) -> str:
    """A value as customers can say it: no marks and no joining words; "" where it says nothing or cannot be said.

    >>> (
    ...     choice_text("Black, White", "color"),
    ...     choice_text("none", "backlight"),
    ...     choice_text("10", "size"),
    ...     choice_text("not resistant", "x"),
    ... )
    ('Black White', 'no backlight', 'size 10', 'non-resistant')
    >>> (
    ...     choice_text("Touchscreen / Full HD", "x"),
    ...     choice_text("S/M", "size"),
    ...     choice_text("phone and case", "set"),
    ...     choice_text("oak or pine", "wood"),
    ... )
    ('Touchscreen Full HD', 'S-M', 'phone & case', '')
    """
    low = text.lower().strip()
    if low in _VAGUE:
        return ""
    if low in _NOTHING:
        return f"no {label}"
    if low in ("yes", "true"):
        return label
    value = re.sub(r"(?<=\w)[/|](?=\w)", "-", text)
    value = re.sub(r"(?<=\d),(?=\d)", ".", value)
    value = re.sub(r"[,;:/|()\"'`\\]", " ", re.sub(r"(?<=\w)'(?=\w)", "", value))
    value = re.sub(r"\band\b", "&", value, flags=re.IGNORECASE)
    value = re.sub(r"^not (?=\w)", "non-", value, flags=re.IGNORECASE)
    value = re.sub(r"(?<=\w )with(?= \w)", "+", value, flags=re.IGNORECASE)
    value = " ".join(value.split()).strip("-.&+ ")
    if _BAD_WORD.search(value) or not value:
        return ""
    if re.fullmatch(r"[-+]?[\d.,]+", value):
        value = f"{label} {value}"
    return value if len(value) <= SHORT else value[:SHORT].rsplit(" ", 1)[0]
