"""Goals: the conditions a target meets, and the page of products composed around them."""
