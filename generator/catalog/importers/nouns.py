"""The nouns of product types: from the name of a category, or from the titles of products, to what customers say."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from ecomrlve.generator.catalog.importers.neutral import neutral
from ecomrlve.generator.catalog.importers.tables import missing_words, noun_words, words

_PARENTHESIS = re.compile(r"\s*[(\[][^)\]]*[)\]]")
_JOINERS = re.compile(r"\s*(?:,|;|&|\+|/|\\|\band\b|\bor\b)\s*", re.IGNORECASE)
_TAIL = re.compile(
    r"\s+(?:with|without|for|in|by|from|under|over|at|on|to|not|but|except|featuring|w/)\b.*$", re.IGNORECASE
)
_LEADING_NUMBER = re.compile(
    r"^\d[\d.,]*(?:[\s-]+in[\s-]+\d+)?(?:[\s-]+(?:seat|seater|piece|pack|person|drawer|door|way|pcs?)\b)?[\s-]*",
    re.IGNORECASE,
)
_TITLE_END = re.compile(r"\s*(?:[,;:(\[|–—]|\s-\s|/|\s+(?:with|for|in|by|from|of|featuring)\s).*$", re.IGNORECASE)
_MARKS = re.compile(r"[^\w\s'&/.-]|\.(?=\s|$)", re.UNICODE)
_KEEP_CASE = re.compile(r"\d|[A-Z].*[A-Z]|^.[A-Z]")


def cased(text: str) -> str:
    """Lower case, but for acronyms and names with capitals inside.

    >>> cased("LED Light Bulb"), cased("T-Shirt"), cased("YELLOW WOOL"), cased("TV bench"), cased("E-Reader")
    ('LED light bulb', 'T-shirt', 'yellow wool', 'TV bench', 'e-reader')
    """
    parts = text.split()
    if len(parts) > 1 and text.isupper():
        return text.lower()
    found = []
    for part in parts:
        pieces = part.split("-")
        if len(pieces) > 1 and len(pieces[0]) == 1:
            # "T-shirt" and "V-neck" name a letter's shape; "e-reader" does not.
            head = pieces[0].lower() if pieces[0] in "Ee" else pieces[0]
            found.append("-".join([head, *(piece.lower() for piece in pieces[1:])]))
        elif part in noun_words()["proper"] or (_KEEP_CASE.search(part) and not (part.isupper() and len(part) > 5)):
            found.append(part)
        else:
            found.append(part.lower())
    return " ".join(found)


@lru_cache(maxsize=1)
def _singulars() -> dict[str, str]:
    return {many: one for one, many in noun_words()["plurals"].items()}


def singular(word: str) -> str:
    """The singular of an English noun; a singular stays.

    >>> [singular(word) for word in ("shelves", "boxes", "trolleys", "batteries", "glass", "lenses", "mugs", "canvas")]
    ['shelf', 'box', 'trolley', 'battery', 'glass', 'lens', 'mug', 'canvas']
    """
    low = word.lower()
    known = _singulars().get(low)
    if known is not None:
        return known if word.islower() else word[0] + known[1:]
    if low in noun_words()["plurals"] or not low.endswith("s") or low.endswith(("ss", "us", "is")) or len(low) < 4:
        return word
    if low.endswith("ies") and len(low) > 4:
        return word[:-3] + "y"
    if low.endswith(("ches", "shes", "sses", "xes", "zzes")):
        return word[:-2]
    return word[:-1]


def plural(word: str) -> str:
    """The plural of an English noun in the singular.

    >>> [plural(word) for word in ("shelf", "box", "trolley", "battery", "glass", "mug")]
    ['shelves', 'boxes', 'trolleys', 'batteries', 'glasses', 'mugs']
    """
    known = noun_words()["plurals"].get(word.lower())
    if known is not None:
        return word[0] + str(known)[1:]
    if not word.isascii():
        return word
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "x", "z", "ch", "sh")) else "s")


def _is_pair(part: str) -> bool:
    return bool({part.split()[-1].lower(), " ".join(part.lower().split()[-2:])} & set(noun_words()["pairs"]))


def _one_and_many(part: str, alone: bool) -> tuple[str, str]:
    """One part of a category's name as (one, many)."""
    head, of, rest = part.partition(" of ")
    front, _, last = head.rpartition(" ")
    front = front + " " if front else ""
    if _is_pair(part.rpartition("/")[2]):
        # "headphones/cable" beside other things; "pair of headphones" by itself.
        return (f"pair of {part}", f"pairs of {part}") if alone else (part, part)
    if last.lower().rpartition("/")[2] in noun_words()["mass"]:
        return f"piece of {part}", f"pieces of {part}"
    one = singular(last)
    return f"{front}{one}{of}{rest}", f"{front}{plural(one)}{of}{rest}"


def noun(name: str, thing: str = "") -> tuple[str, str]:
    """(one, many) of a product type, in words that join no clauses.

    Args:
        name: of the category, as the source writes it.
        thing: what the shop sells, for names that are no nouns.

    >>> noun("Bookcases & shelving units"), noun("Running Shoes")
    (('bookcase/shelving unit', 'bookcases/shelving units'), ('pair of running shoes', 'pairs of running shoes'))
    >>> noun("TV & media furniture"), noun("Gaming", "laptop"), noun("men")[0]
    (('piece of TV/media furniture', 'pieces of TV/media furniture'), ('gaming laptop', 'gaming laptops'), "men's item")
    >>> noun("Chests of drawers & drawer units"), noun("2 in 1 Convertible")[0]
    (('chest of drawers/drawer unit', 'chests of drawers/drawer units'), 'convertible')
    """
    text = _PARENTHESIS.sub("", neutral(name, 60))
    # A noun that begins with a number would be heard as a quantity.
    text = _TAIL.sub("", _LEADING_NUMBER.sub("", re.sub(r"^all\s+(?=\w)", "", text, flags=re.IGNORECASE))).strip(
        " -&/,."
    )
    text = " ".join(cased(_MARKS.sub(" ", text.replace(",", " / ").replace(";", " / "))).split())
    parts = [part for part in _JOINERS.split(text) if part]
    if not parts:
        return thing_or_item(thing)
    last = parts[-1].split()[-1].lower()
    if len(parts) > 1 and last in noun_words()["mass"]:
        parts = ["/".join(parts)]
    low = " ".join(parts).lower()
    if low in noun_words()["people"]:
        owner = noun_words()["people"][low]
        return (f"{owner} {thing}", f"{owner} {plural(thing)}") if thing else (f"{owner} item", f"{owner} items")
    if parts[-1].lower() in noun_words()["adjectives"] or last in noun_words()["collective"]:
        one, many = thing_or_item(thing)
        return f"{'/'.join(parts[:3])} {one}", f"{'/'.join(parts[:3])} {many}"
    if len(parts) > 1 and all(_is_pair(part) for part in parts):
        parts = ["/".join(parts)]
    pairs = [_one_and_many(part, len(parts) == 1) for part in parts[:3]]
    return "/".join(one for one, _ in pairs), "/".join(many for _, many in pairs)


def thing_or_item(thing: str) -> tuple[str, str]:
    """What any one thing in the shop is called.

    >>> thing_or_item("laptop"), thing_or_item("")
    (('laptop', 'laptops'), ('item', 'items'))
    """
    return (thing, plural(thing)) if thing else ("item", "items")


def head_noun(title: str) -> str:
    """The word of a title that says what the thing is, or "".

    >>> head_noun("Ocean Blue Shirt"), head_noun("Choker with Bead"), head_noun("iPhone 12, 64 GB")
    ('shirt', 'choker', '')
    """
    text = _TITLE_END.sub("", title)
    parts = text.split()
    if not parts or not parts[-1].isalpha() or len(parts[-1]) < 3 or parts[-1].lower() in missing_words():
        return ""
    last, two = parts[-1].lower(), " ".join(parts[-2:]).lower()
    if two in noun_words()["pairs"]:
        return two
    return last if last in noun_words()["pairs"] else singular(last)


def types_from_titles(titles: Sequence[str]) -> list[str] | None:
    """A type for each product by the last word of its title, where titles share enough of those; else None.

    >>> types_from_titles(["Blue Shirt", "Red Shirt", "Silk Top", "Wool Top", "Leather Bag"])
    ['shirt', 'shirt', 'top', 'top', 'bag']
    """
    heads = [head_noun(title) for title in titles]
    counts = Counter(head for head in heads if head)
    least = 2 if len(titles) < 500 else 5
    covered = sum(count for count in counts.values() if count >= least)
    if covered < len(titles) / 2:
        return None
    small = len(titles) < 500
    return [head if head and (small or counts[head] >= least) else "" for head in heads]


def return_class(*names: str) -> str:
    """The return class that words of a type's names tell, else ``"home"``.

    >>> return_class("pair of running shoes"), return_class("Desk Lamp"), return_class("2 in 1 convertible")
    ('footwear', 'home', 'electronics')
    """
    for name in names:
        parts = [singular(part) for part in re.findall(r"[a-z-]+", name.lower().replace("'s", ""))]
        text = f" {' '.join(parts)} "
        best, known = "", (0, 0)
        for entry in words()["return_class"]:
            for word in entry["words"]:
                place = text.rfind(f" {word} ")
                # The last word of a name says most of what it is: a "toy bookcase" is furniture first.
                if place >= 0 and (place + len(word), len(word)) > known:
                    best, known = entry["class"], (place + len(word), len(word))
        if best:
            return best
    return "home"
