"""Where a customer says to look: a named collection, page or saved list, of bounded size."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from ecomrlve.generator.catalog.columns import Catalog
from ecomrlve.generator.catalog.ontology import ProductType
from ecomrlve.generator.randomness import Draws
from ecomrlve.grammars.engine.tables import load_table


@dataclass(frozen=True, slots=True)
class Scope:
    """A named place in the shop.

    Args:
        kind: ``"collection"``, ``"page"`` or ``"list"``.
        name: as customers say it.
    """

    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class _Words:
    first: tuple[str, ...]
    second: tuple[str, ...]
    after_department: tuple[str, ...]
    kinds: dict[str, str]


@lru_cache(maxsize=1)
def _words() -> _Words:
    data = load_table("generator.pages/scopes")
    return _Words(tuple(data["first"]), tuple(data["second"]), tuple(data["after_department"]), data["kinds"])


def draw_scope(catalog: Catalog, kind: ProductType, draws: Draws) -> Scope:
    """A name for a page around one product type.

    >>> from ecomrlve.generator.catalog.synthesis import synthesize
    >>> shop = synthesize(500)
    >>> draw_scope(shop, shop.types[0], Draws(0, "example")).kind in ("collection", "page", "list")
    True
    """
    words = _words()
    page = draws.choice(tuple(words.kinds))
    if draws.below(4) == 0:
        return Scope(page, f"{catalog.departments[kind.department]} {draws.choice(words.after_department)}")
    # No "Last Call Collection collection", no "Window Shortlist list".
    second = tuple(word for word in words.second if not word.casefold().endswith(page))
    return Scope(page, f"{draws.choice(words.first)} {draws.choice(second)}")


def render_introduction(scope: Scope, count: int, nouns: Sequence[tuple[str, str]]) -> str:
    """The line above a page's table, with (singular, plural) of each product type on it.

    >>> render_introduction(Scope("page", "Spring Table"), 12, [("mug", "mugs")])
    'The page "Spring Table" shows 12 mugs (product type: mug / mugs):'
    """
    noun = nouns[0][1] if len(nouns) == 1 else "products"
    text = _words().kinds[scope.kind].format(name=scope.name, count=count, noun=noun)
    label = "product type" if len(nouns) == 1 else "product types"
    return f"{text[:-1]} ({label}: {', '.join(' / '.join(pair) for pair in nouns)}):"


def parse_introduction(text: str) -> tuple[Scope, list[tuple[str, str]]]:
    """The scope and the nouns of the page in a prompt, from the line above its table.

    >>> parse_introduction('Hello.\\nThe page "Spring Table" shows 12 mugs (product type: mug / mugs):\\n')
    (Scope(kind='page', name='Spring Table'), [('mug', 'mugs')])
    """
    for kind, pattern in _introductions():
        found = pattern.search(text)
        if found:
            pairs = [tuple(pair.split(" / ")) for pair in found[2].split(", ")]
            return Scope(kind, found[1]), [(pair[0], pair[1]) for pair in pairs]
    raise ValueError("the prompt shows no page")


@lru_cache(maxsize=1)
def _introductions() -> tuple[tuple[str, re.Pattern[str]], ...]:
    found = []
    for kind, template in _words().kinds.items():
        words = template[:-1].format(name="NAME", count="COUNT", noun="NOUN")
        pattern = re.escape(words).replace("NAME", "(.+?)").replace("COUNT", "[0-9]+").replace("NOUN", ".+?")
        found.append((kind, re.compile(rf"^{pattern} \(product types?: (.+)\):$", re.MULTILINE)))
    return tuple(found)
