"""One small shop written in every format that importers read, each as its platform would."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any
from xml.sax.saxutils import escape


@dataclass(frozen=True, slots=True)
class Variant:
    """What is bought: its number, what is picked, its price in cents and its units."""

    sku: str
    options: dict[str, str]
    cents: int
    units: int

    @property
    def price(self) -> str:
        """Its price in plain digits."""
        return f"{self.cents // 100}.{self.cents % 100:02d}"


@dataclass(frozen=True, slots=True)
class Product:
    """A product; without options it has one variant. Its weight is in kilograms, ``""`` where nobody says."""

    key: str
    title: str
    path: tuple[str, ...]
    brand: str
    variants: tuple[Variant, ...]
    material: str = ""
    weight: str = ""
    more: dict[str, str] = field(default_factory=dict)

    @property
    def axes(self) -> tuple[str, ...]:
        """The names of what is picked."""
        return tuple(self.variants[0].options)


Shop = Sequence[Product]


def _delimited(columns: Sequence[str], rows: Iterable[dict[str, str]], delimiter: str = ",") -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, restval="", delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _shopify(shop: Shop, names: dict[str, str]) -> str:
    """Rows of a handle, the first with what is true of the product; ``names`` spells the headers."""
    more = list(dict.fromkeys(name for product in shop for name in product.more))
    rows = []
    for product in shop:
        for place, variant in enumerate(product.variants):
            row = {
                names["handle"]: product.key,
                names["sku"]: variant.sku,
                names["price"]: variant.price,
                names["stock"]: str(variant.units),
            }
            if place == 0:
                row |= {"Title": product.title, "Vendor": product.brand, "Type": product.path[-1], "Status": "active"}
                row[names["category"]] = " > ".join(product.path)
                row["Material (product.metafields.custom.material)"] = product.material
                weight = json.dumps({"value": float(product.weight), "unit": "kg"}) if product.weight else ""
                row["Weight (product.metafields.custom.weight)"] = weight
                row |= {f"{name} (product.metafields.custom.x)": text for name, text in product.more.items()}
            for number, (name, value) in enumerate(variant.options.items() or [("Title", "Default Title")], 1):
                row[names["name"].format(number)] = name if place == 0 else ""
                row[names["value"].format(number)] = value
            rows.append(row)
    columns = [*(name for name in names.values() if "{" not in name), "Title", "Vendor", "Type", "Status"]
    columns += [names[kind].format(number) for number in (1, 2, 3) for kind in ("name", "value")]
    columns += [f"{name} (product.metafields.custom.material)" for name in ("Material",)]
    columns += [
        "Weight (product.metafields.custom.weight)",
        *(f"{name} (product.metafields.custom.x)" for name in more),
    ]
    return _delimited(columns, rows)


def shopify(shop: Shop) -> str:
    """Shopify's export with today's headers."""
    return _shopify(
        shop,
        {
            "handle": "URL handle",
            "sku": "SKU",
            "price": "Price",
            "stock": "Inventory quantity",
            "category": "Product category",
            "name": "Option{} name",
            "value": "Option{} value",
        },
    )


def shopify_before(shop: Shop) -> str:
    """Shopify's export with the headers it had before."""
    return _shopify(
        shop,
        {
            "handle": "Handle",
            "sku": "Variant SKU",
            "price": "Variant Price",
            "stock": "Variant Inventory Qty",
            "category": "Product Category",
            "name": "Option{} Name",
            "value": "Option{} Value",
        },
    )


def woocommerce(shop: Shop) -> str:
    """WooCommerce's export: what has options is a variable product with its variations, in rows behind it."""
    rows = []
    number = 0
    for product in shop:
        number += 1
        first = product.variants[0]
        row = {"ID": str(number), "SKU": product.key, "Name": product.title, "Published": "1", "Brands": product.brand}
        row |= {"Type": "simple", "Categories": " > ".join(product.path), "Weight (kg)": product.weight}
        if product.axes:
            row["Type"] = "variable"
        else:
            row |= {"Regular price": first.price, "Stock": str(first.units), "In stock?": str(int(first.units > 0))}
        facts = {**dict.fromkeys(product.axes, ""), "Material": product.material, **product.more}
        for place, (name, value) in enumerate(((name, value) for name, value in facts.items()), 1):
            all_values = dict.fromkeys(variant.options.get(name, "") for variant in product.variants)
            row[f"Attribute {place} name"] = name
            row[f"Attribute {place} value(s)"] = value or ", ".join(filter(None, all_values))
            row[f"Attribute {place} visible"] = "1"
        rows.append(row)
        for variant in product.variants if product.axes else ():
            number += 1
            own = {"ID": str(number), "Type": "variation", "SKU": variant.sku, "Parent": product.key, "Published": "1"}
            own |= {"Name": f"{product.title} - {', '.join(variant.options.values())}", "Regular price": variant.price}
            own |= {"Stock": str(variant.units), "In stock?": str(int(variant.units > 0))}
            for place, (name, value) in enumerate(variant.options.items(), 1):
                own |= {f"Attribute {place} name": name, f"Attribute {place} value(s)": value}
            rows.append(own)
    columns = ["ID", "Type", "SKU", "Name", "Published", "In stock?", "Stock", "Weight (kg)", "Sale price"]
    columns += ["Regular price", "Categories", "Parent", "Brands"]
    for place in range(1, 7):
        columns += [f"Attribute {place} {kind}" for kind in ("name", "value(s)", "visible")]
    return _delimited(columns, rows)


def _feed(shop: Shop) -> list[dict[str, Any]]:
    items = []
    for product in shop:
        for variant in product.variants:
            ending = f" - {' / '.join(variant.options.values())}" if variant.options else ""
            item: dict[str, Any] = {
                "id": variant.sku if product.axes else product.key,
                "title": f"{product.title}{ending}",
                "link": "https://shop.example/x",
                "image_link": "https://shop.example/x.jpg",
                "availability": "in_stock" if variant.units else "out_of_stock",
                "price": f"{variant.price} USD",
                "product_type": " > ".join(product.path),
                "brand": product.brand,
                "material": product.material,
                "product_weight": f"{product.weight} kg" if product.weight else "",
                "item_group_id": product.key if product.axes else "",
                **{name.lower(): value for name, value in variant.options.items()},
                "product_detail": product.more,
            }
            items.append(item)
    return items


def merchant_tsv(shop: Shop) -> str:
    """Google's product feed as a table."""
    rows = []
    for item in _feed(shop):
        details = ",".join(f":{name}:{value}" for name, value in item["product_detail"].items())
        rows.append({**item, "product_detail": details})
    return _delimited(list(dict.fromkeys([*rows[0], "color", "size"])), rows, "\t")


def merchant_xml(shop: Shop) -> str:
    """Google's product feed as RSS."""

    def element(name: str, value: Any) -> str:
        if isinstance(value, dict):
            return "".join(
                f"<g:product_detail><g:attribute_name>{escape(one)}</g:attribute_name>"
                f"<g:attribute_value>{escape(text)}</g:attribute_value></g:product_detail>"
                for one, text in value.items()
            )
        return f"<g:{name}>{escape(value)}</g:{name}>" if value else ""

    items = "".join(
        f"<item>{''.join(element(name, value) for name, value in item.items())}</item>\n" for item in _feed(shop)
    )
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0">'
    return f"{head}<channel><title>Shop</title>{items}</channel></rss>"


def jsonld(shop: Shop) -> str:
    """A graph of schema.org products, those with options as groups of variants."""
    graph: list[dict[str, Any]] = []
    for product in shop:
        node: dict[str, Any] = {
            "name": product.title,
            "brand": {"@type": "Brand", "name": product.brand},
            "category": " > ".join(product.path),
            "material": product.material,
            "additionalProperty": [
                {"@type": "PropertyValue", "name": name, "value": value} for name, value in product.more.items()
            ],
        }
        if product.weight:
            node["weight"] = {"@type": "QuantitativeValue", "value": float(product.weight), "unitCode": "KGM"}
        offers = [
            {
                "@type": "Offer",
                "price": variant.price,
                "priceCurrency": "USD",
                "availability": f"https://schema.org/{'InStock' if variant.units else 'OutOfStock'}",
            }
            for variant in product.variants
        ]
        if not product.axes:
            graph.append({"@type": "Product", "sku": product.key, **node, "offers": offers[0]})
            continue
        variants = [
            {
                "@type": "Product",
                "sku": variant.sku,
                "name": product.title,
                **{name.lower(): value for name, value in variant.options.items()},
                "offers": offer,
            }
            for variant, offer in zip(product.variants, offers, strict=True)
        ]
        group = {"@type": "ProductGroup", "productGroupID": product.key, **node, "hasVariant": variants}
        graph.append({**group, "variesBy": [f"https://schema.org/{name.lower()}" for name in product.axes]})
    return json.dumps({"@context": "https://schema.org", "@graph": graph})


def retail_json(shop: Shop) -> str:
    """Products and their variants in one JSON document."""
    products = [
        {
            "product_id": product.key,
            "name": product.title,
            "category": list(product.path),
            "brand": product.brand,
            "details": {
                **({"Material": product.material} if product.material else {}),
                **({"Weight": f"{product.weight} kg"} if product.weight else {}),
                **product.more,
            },
            "variants": {
                variant.sku: {
                    "item_id": variant.sku,
                    "options": variant.options,
                    "price": variant.cents / 100,
                    "inventory_quantity": variant.units,
                }
                for variant in product.variants
            },
        }
        for product in shop
    ]
    return json.dumps({"products": products})


def _rows(shop: Shop) -> list[dict[str, str]]:
    return [
        {
            "sku": variant.sku if product.axes else product.key,
            "style_id": product.key if product.axes else "",
            "name": product.title,
            "category": " > ".join(product.path),
            "brand": product.brand,
            "price": variant.price,
            "stock": str(variant.units),
            "Material": product.material,
            "Weight": f"{product.weight} kg" if product.weight else "",
            **product.more,
            **variant.options,
        }
        for product in shop
        for variant in product.variants
    ]


def table(shop: Shop) -> str:
    """Any table, with decimal commas and semicolons."""
    rows = [{**row, "price": row["price"].replace(".", ",")} for row in _rows(shop)]
    return _delimited(list(dict.fromkeys(name for row in rows for name in row)), rows, ";")


def lines(shop: Shop) -> str:
    """Any table as JSON lines."""
    return "".join(json.dumps({name: text for name, text in row.items() if text}) + "\n" for row in _rows(shop))


def amazon(shop: Shop) -> str:
    """Metadata in the form of Amazon Reviews 2023, which knows neither options nor stock."""
    rows = [
        {
            "main_category": product.path[0],
            "title": product.title,
            "price": variant.cents / 100,
            "store": product.brand or None,
            "categories": list(product.path),
            "details": {
                **({"Material": product.material} if product.material else {}),
                **({"Weight": f"{product.weight} kg"} if product.weight else {}),
                **product.more,
            },
            "parent_asin": product.key,
        }
        for product in shop
        for variant in product.variants[:1]
    ]
    return "".join(json.dumps(row) + "\n" for row in rows)


WRITERS: dict[str, tuple[str, Callable[[Shop], str]]] = {
    "shop.csv": ("shopify", shopify),
    "before.csv": ("shopify", shopify_before),
    "woo.csv": ("woocommerce", woocommerce),
    "feed.tsv": ("merchant", merchant_tsv),
    "feed.xml": ("merchant", merchant_xml),
    "graph.json": ("jsonld", jsonld),
    "retail.json": ("retail-json", retail_json),
    "table.csv": ("table", table),
    "lines.jsonl": ("table", lines),
}
"""A file's name to the format it is read as and what writes it."""
