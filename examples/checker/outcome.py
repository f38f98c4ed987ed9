"""How a check can end without success."""


class Refused(Exception):
    """The certificate does not prove its verdict for this model."""


class Unsupported(Exception):
    """The checker does not know how to check this, so it neither accepts nor refuses."""


class BadInput(Exception):
    """A file cannot be read, or is no model or no certificate."""


def require(condition: bool, why: str) -> None:
    """Refuses the certificate unless the condition is true."""
    if not condition:
        raise Refused(why)
