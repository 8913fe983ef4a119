"""How the kernels refuse a computation."""


class Refused(ValueError):
    """The computation would be out of reach or could not be certified; one line says why."""
