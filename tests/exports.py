"""What comes in of the exports in ``tests/data/exports``, by file."""

from typing import Any


class _Some:
    """Equal to any number of units: the source only calls the variant available, so they are drawn."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, int) and other > 0

    def __hash__(self) -> int:
        return 0


SOME = _Some()

_FEED: dict[str, dict[str, Any]] = {
    "DRESS": {
        "title": "Linen dress",
        "type": "dress",
        # The blue one's lower price holds between two dates only.
        "variants": {"Red / size 36": (5990, SOME), "Red / size 38": (7990, 0), "Blue / size 36": (7990, SOME)},
        "brand": "Nordlys",
        "color": "Red",
        "material": "linen",
    },
    "LENS-50": {
        "title": "Lens 50 mm",
        "type": "lens",
        "variants": {"": (34900, 0)},
        "brand": "Optika",
        "material": "glass",
        "weight": "310 g",
    },
}

# file: format, (read, kept, merged, rejected), currency, reasons, products
CASES: dict[str, tuple[str, tuple[int, int, int, int], str, dict[str, int], dict[str, dict[str, Any]]]] = {
    "shopify.csv": (
        "shopify",
        (9, 6, 1, 2),
        "USD",
        {"not for sale (archived)": 1, "not for sale (draft)": 1},
        {
            "merino-crew-sock": {
                "title": "Merino crew sock",
                "type": "pair of socks",
                "variants": {
                    "Grey / M": (1800, 12),
                    "Grey / L": (1800, 0),
                    "Navy / M": (1950, SOME),
                    "Navy / L": (1950, 2),
                },
                "brand": "Fjellheim",
                "color": "Grey",
                "rating": "4.6",
                "reviews": "31",
            },
            "stoneware-mug": {
                "title": "Stoneware mug",
                "type": "mug",
                "variants": {"": (2400, SOME)},
                "brand": "Fjellheim",
                "capacity": "350 ml",
                "care": "dishwasher safe",
                "color": "white",
                "rating": "4.1",
                "reviews": "7",
                "weight": "410 g",
            },
            "espresso-cup": {
                "title": "Espresso cup",
                "type": "mug",
                "variants": {"": (1190, 40)},
                "brand": "Kaffebar",
                "capacity": "80 ml",
                "care": "dishwasher safe",
                "color": "black",
                "weight": "150 g",
            },
        },
    ),
    "woocommerce.csv": (
        "woocommerce",
        (13, 6, 1, 6),
        "USD",
        {
            "not published": 2,
            "a variable product without variations": 1,
            "its parent is not in the file": 1,
            "not sold by itself (a group of other products)": 1,
            "not sold by itself (sold elsewhere)": 1,
        },
        {
            "tee": {
                "title": "Wool tee",
                "type": "tee",
                # The blue one's lower price holds between two dates only.
                "variants": {"Red / S": (3950, 4), "Red / M": (3500, SOME), "Blue / S": (3950, 0)},
                "brand": "Lanifera",
                "color": "Red",
                "material": "wool",
                "weight": "0.21 kg",
            },
            "lamp": {
                "title": "Desk lamp",
                "type": "lamp",
                "variants": {"": (8900, SOME)},
                "brand": "Lumo",
                "color": "Black",
                "power": "9 W",
                "weight": "1.4 kg",
            },
            "floor-lamp": {
                "title": "Floor lamp",
                "type": "lamp",
                "variants": {"": (14999, 6)},
                "brand": "Lumo",
                "color": "Black",
                "power": "12 W",
                "weight": "4.2 kg",
            },
            "album": {"title": "Album", "type": "music item", "variants": {"": (1500, SOME)}},
        },
    ),
    "merchant.xml": ("merchant", (5, 4, 0, 1), "EUR", {"price … is not one plain amount": 1}, _FEED),
    "merchant.tsv": ("merchant", (5, 4, 0, 1), "EUR", {"price … is not one plain amount": 1}, _FEED),
    "products.jsonld": (
        "jsonld",
        (7, 5, 1, 1),
        "GBP",
        {"price … is not one plain amount": 1},
        {
            "LAMP": {
                "title": "Desk lamp",
                "type": "lamp",
                "variants": {"Black": (8900, SOME), "White": (7950, 0)},
                "brand": "Lumo",
                "color": "Black",
                "material": "steel",
                "power": "9 W",
                "rating": "4.4",
                "reviews": "89",
                "weight": "1.4 kg",
            },
            "shade-7": {
                "title": "Paper shade",
                "type": "lamp",
                "variants": {"": (1900, 12)},
                "brand": "Lumo",
                "material": "paper",
            },
            "CORD": {"title": "Cord", "type": "cord", "variants": {"1 m": (600, SOME), "2 m": (800, SOME)}},
        },
    ),
    "page.html": (
        "jsonld",
        (1, 1, 0, 0),
        "EUR",
        {},
        {"MUG-1": {"title": "Stoneware mug", "type": "mug", "variants": {"": (2400, 0)}, "brand": "Fjellheim"}},
    ),
}
