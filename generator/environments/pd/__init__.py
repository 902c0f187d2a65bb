"""PD, product discovery: the best k products of a page that meet all conditions, in order."""

from ecomrlve.generator.environments.pd.pose import ENVIRONMENT

__all__ = ["ENVIRONMENT"]
