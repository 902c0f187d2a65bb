"""Customers: who they are, that splits share nobody, and that their tastes are the shop's."""

import os
import random
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ecomrlve.errors import InvalidArgument
from ecomrlve.generator.catalog.columns import Catalog
from ecomrlve.generator.catalog.synthesis import synthesize
from ecomrlve.generator.customers import Customer, customer_pool, size_groups
from ecomrlve.generator.identifiers import SPLITS
from ecomrlve.grammars.conditions.attributes import MISSING
from ecomrlve.grammars.engine.tables import load_table


@pytest.fixture(scope="module")
def shop() -> Catalog:
    return synthesize(5_000)


@pytest.fixture(scope="module")
def pool(shop: Catalog) -> tuple[Customer, ...]:
    return customer_pool(0, "train", shop)


def test_a_pool_is_a_function_of_its_arguments(shop: Catalog, pool: tuple[Customer, ...]) -> None:
    """The same seed and split give the same people, another seed others."""
    assert customer_pool(0, "train", shop) == pool
    assert customer_pool(1, "train", shop) != pool


def test_a_pool_is_the_same_in_every_process() -> None:
    """Neither the hash seed nor the machine's language or time zone reaches it (Faker keeps some lists in sets)."""
    program = (
        "from ecomrlve.generator.catalog.synthesis import synthesize\n"
        "from ecomrlve.generator.customers import customer_pool\n"
        "print(ascii(customer_pool(0, 'test', synthesize(500), 1024)))"
    )
    shown = [
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed, "TZ": zone, "LC_ALL": language},
            cwd=Path(__file__).parents[1],
            capture_output=True,
            check=True,
        ).stdout
        for seed, zone, language in (("0", "UTC", "C"), ("1", "Asia/Tokyo", "tr_TR.UTF-8"))
    ]
    assert shown[0] == shown[1]
    assert len(shown[0]) > 1000


def test_faker_leaves_the_global_random_state_alone(shop: Catalog) -> None:
    random.seed(5)
    before = random.getstate(), str(np.random.get_state())  # noqa: NPY002
    customer_pool(3, "test", shop)
    assert (random.getstate(), str(np.random.get_state())) == before  # noqa: NPY002


def test_splits_share_no_surname_and_no_pool_has_a_name_twice(shop: Catalog) -> None:
    pools = {split: customer_pool(0, split, shop) for split in SPLITS}
    for split, people in pools.items():
        assert [customer.number for customer in people] == list(range(512))
        assert len({customer.name for customer in people}) == 512, split
    surnames = Counter(
        surname
        for people in pools.values()
        for surname in {customer.name.removeprefix(customer.first_name + " ") for customer in people}
    )
    assert max(surnames.values()) == 1


@pytest.mark.parametrize("split", SPLITS)
def test_every_locale_has_people_in_every_split(shop: Catalog, split: str) -> None:
    """The small name lists (Turkish, Brazilian) reach each split, for several seeds."""
    for seed in range(3):
        found = {customer.locale for customer in customer_pool(seed, split, shop)}
        assert found == set(load_table("generator/customers")["locale"])


def test_names_are_latin_and_plain(pool: tuple[Customer, ...]) -> None:
    for customer in pool:
        letters = customer.name.replace(" ", "").replace("-", "").replace("'", "").replace(".", "")
        assert letters.isalpha() and all(ord(letter) < 0x250 for letter in letters), customer.name
        assert customer.name.startswith(customer.first_name + " ")
        assert customer.city == customer.city.strip() != ""


def test_tiers_and_styles_come_in_their_shares(pool: tuple[Customer, ...]) -> None:
    for field, table in (
        ("tier", load_table("generator/customers")["tier"]),
        ("style", load_table("generator/customers")["style"]),
    ):
        counts = Counter(getattr(customer, field) for customer in pool)
        assert set(counts) == set(table)
        for key, share in table.items():
            assert abs(counts[key] / 512 - share / sum(table.values())) < 0.08


def test_tastes_and_sizes_are_the_shops_own(shop: Catalog, pool: tuple[Customer, ...]) -> None:
    brands = {shop.attributes["brand"].values[code] for code in np.unique(shop.brand).tolist() if code != MISSING}
    groups = {group.name: group for group in size_groups(shop)}
    assert {"size", "shoe size"} <= set(groups)
    dearest = int(shop.price.max())
    for customer in pool:
        assert 1 <= len(customer.favorites) <= 3 and set(customer.favorites) <= brands
        assert 0 < customer.budget <= dearest and customer.budget % 500 == 0
        for name, text in customer.sizes.items():
            group = groups[name]
            assert text in {shop.attributes[group.key].text(code) for code in group.codes}
    assert len({customer.sizes["shoe size"] for customer in pool}) >= 6


def test_sizes_of_one_person_go_together(shop: Catalog, pool: tuple[Customer, ...]) -> None:
    """Who wears the smallest shirt does not wear the largest trousers."""
    groups = size_groups(shop)
    for customer in pool:
        places = []
        for group in groups:
            texts = [shop.attributes[group.key].text(code) for code in group.codes]
            places.append((texts.index(customer.sizes[group.name]) + 0.5) / len(texts))
        assert max(places) - min(places) < 0.5


def test_size_groups_have_names_of_their_own(shop: Catalog) -> None:
    groups = size_groups(shop)
    assert len({group.name for group in groups}) == len(groups)
    shoes = next(group for group in groups if group.name == "shoe size")
    assert {shop.types[place].return_class for place in shoes.types} == {"footwear"}
    letters = [shop.attributes[groups[0].key].text(code) for code in groups[0].codes]
    assert letters == sorted(letters, key=["XXS", "XS", "S", "M", "L", "XL", "XXL"].index)


@pytest.mark.parametrize(
    "values",
    [
        ["US 6", "US 7.5", "US 10"],
        ["Small", "Medium", "Large", "extra large"],
        ["XS", "M", "XXL", "3XL"],
        ["size 8", "size 9", "size 12"],
    ],
)
def test_sizes_are_ranked_whatever_order_the_source_has(shop: Catalog, values: list[str]) -> None:
    group = size_groups(shop)[0]
    texts = list(shop.attributes[group.key].values)
    codes = sorted(group.codes)[: len(values)]
    for code, value in zip(codes, reversed(values), strict=True):
        texts[code] = value
    renamed = {**shop.attributes, group.key: replace(shop.attributes[group.key], values=tuple(texts))}
    ranked = [texts[code] for code in size_groups(replace(shop, attributes=renamed))[0].codes if code in codes]
    assert ranked == values


def test_a_shop_without_sizes_brands_or_dear_things_has_customers(shop: Catalog) -> None:
    bare = replace(
        shop,
        types=tuple(replace(kind, return_class="home") for kind in shop.types),
        brand=np.full(len(shop), MISSING, dtype=np.int32),
        price=np.full(shop.variants, 3, dtype=np.int64),
    )
    for customer in customer_pool(0, "train", bare, 5):
        assert (dict(customer.sizes), customer.favorites, customer.budget) == ({}, (), 3)


@pytest.mark.parametrize(
    ("split", "size", "name"), [("train", 0, "size"), ("train", 20_001, "size"), ("elsewhere", 5, "split")]
)
def test_bad_arguments_are_named(shop: Catalog, split: str, size: int, name: str) -> None:
    with pytest.raises(InvalidArgument, match=f"^{name}="):
        customer_pool(0, split, shop, size)


def test_a_pool_costs_well_under_a_second(shop: Catalog) -> None:
    """512 people in at most 0.6 s of processor time (measured 0.15 s)."""
    start = time.process_time()
    customer_pool(9, "train", shop)
    assert time.process_time() - start < 0.6
