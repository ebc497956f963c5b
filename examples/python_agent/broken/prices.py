"""What things cost."""


def discounted(price, percent):
    """The price with so many percent off."""
    return price - percent
