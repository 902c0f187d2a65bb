"""What customers say in a shop, in one place: requests and carts as data, said and read back."""

from ecomrlve.grammars.dialogue.cart import read_cart, say_cart
from ecomrlve.grammars.dialogue.noise import Utterance, add_noise
from ecomrlve.grammars.dialogue.requests import CartCorrection, CartItem, Correction, ShoppingRequest
from ecomrlve.grammars.dialogue.shopping import read_shopping, say_shopping

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
