"""All columns of the one row: what most trainers read without a word."""

from ecomrlve.outputs.schema import UNIVERSAL
from ecomrlve.outputs.targets import openrlhf, skyrl, slime, trl, verl
from ecomrlve.outputs.targets.base import Target

TARGET = Target(UNIVERSAL, "\n".join(other.TARGET.loading for other in (verl, trl, openrlhf, slime, skyrl)))
