"""The policies of a world: many, each alone, and those that a shop brings itself."""

import json
from datetime import date
from pathlib import Path

import pytest

from ecomrlve import CatalogError, InvalidArgument, World, make_task
from ecomrlve.generator.catalog.store import save
from ecomrlve.generator.catalog.synthesis import synthesize
from ecomrlve.generator.policies.pool import POOL, PolicyPool
from ecomrlve.generator.randomness import Draws
from ecomrlve.grammars.conditions.attributes import CURRENCIES
from ecomrlve.grammars.policy.json import policy_to_json
from ecomrlve.grammars.policy.policy import Policy
from ecomrlve.grammars.policy.rules import RETURN_CLASSES, Fault, Refusal, Window

POOLED = PolicyPool(3, "train", RETURN_CLASSES, CURRENCIES["USD"], date(2026, 3, 11))
OWN = Policy((Window(21), Refusal(final_sale=True), Fault(("faulty", "wrong_item"), 90)), (2, 1, 0))


def test_a_world_has_many_policies_and_no_two_are_alike() -> None:
    assert len(POOLED) == POOL >= 500
    assert len({POOLED.policy(number, 2) for number in range(POOL)}) == POOL


def test_a_policy_is_drawn_without_the_others() -> None:
    again = PolicyPool(3, "train", RETURN_CLASSES, CURRENCIES["USD"], date(2026, 3, 11))
    assert again.policy(POOL - 1, 3) == POOLED.policy(POOL - 1, 3) != POOLED.policy(POOL - 1, 2)


def imported(folder: Path, policy: str | None) -> World:
    save(synthesize(500), folder)
    if policy is not None:
        (folder / "policy.json").write_text(policy, encoding="utf-8")
    return World.load(folder)


def test_a_shop_keeps_the_policy_it_brings(tmp_path: Path) -> None:
    own = imported(tmp_path / "own", json.dumps(policy_to_json(OWN)))
    drawn = imported(tmp_path / "drawn", None)
    assert own.policies.policy(own.policies.number(Draws(0, "number")), 4) == OWN
    assert len(drawn.policies) == POOL and own.digest != drawn.digest
    tasks = [make_task(own, "RETURN", level=2, seed=0, index=index) for index in range(20)]
    assert len({task.evidence["rules"] for task in tasks}) == 1


@pytest.mark.parametrize(
    ("text", "error"), [("{", CatalogError), ('{"rules": [{"kind": "gift"}], "precedence": []}', InvalidArgument)]
)
def test_a_policy_that_is_none_is_named(tmp_path: Path, text: str, error: type[Exception]) -> None:
    with pytest.raises(error, match=r"policy.json|kind must be one of"):
        imported(tmp_path / "shop", text).policies.policy(0, 1)
