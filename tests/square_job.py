"""A job for the tests of worker processes; alone in its file, since each worker imports it."""

import os

from ecomrlve.errors import ShardError
from ecomrlve.outputs.workers import Tick


class Square:
    """A job that ends its own process on one number and fails on another."""

    def __call__(self, number: int, tick: Tick) -> int:
        if number == 5:
            os._exit(9)
        if number == 7:
            raise ShardError("seven")
        tick(1)
        return number * number
