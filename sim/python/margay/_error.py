"""What is refused."""


class Error(Exception):
    """What the library refuses: the message of the command."""
