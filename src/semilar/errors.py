"""What can go wrong by no fault of the code, as sentences for the person at the keyboard."""


class SemilarError(Exception):
    """Something the user can mend. Its text is one plain sentence that names the file or key.

    The command line prints that sentence without a traceback and ends with status 2; in a batch
    the other files go on.
    """


class MissingExtraError(SemilarError):
    """An optional part of the package is needed and not installed."""

    def __init__(self, package: str, extra: str, *, what: str = "This") -> None:
        super().__init__(
            f'{what} needs {package}, which is not installed: pip install "semilar[{extra}]"'
        )
        self.package = package
        self.extra = extra
