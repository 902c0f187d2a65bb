"""What customers say in a shop, in one place: requests and carts as data, said and read back."""

from ecomrlve.grammars.cart import read_cart, say_cart
from ecomrlve.grammars.noise import Utterance, add_noise
from ecomrlve.grammars.requests import CartCorrection, CartItem, Correction, ShoppingRequest
from ecomrlve.grammars.shopping import read_shopping, say_shopping

__all__ = [
    "CartCorrection",
    "CartItem",
    "Correction",
    "ShoppingRequest",
    "Utterance",
    "add_noise",
    "read_cart",
    "read_shopping",
    "say_cart",
    "say_shopping",
]
