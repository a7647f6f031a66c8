"""What can go wrong by no fault of the code. Every error of the package is a `SemilarError`:

    SemilarError             something the caller can mend; its text is for a person to read
    ├── PhotoError           a picture or mask that cannot be read, used or written
    │   └── SeveralPicturesError   a file of several pictures, of which one can be taken
    ├── ModelError           a model, engine or device that is not there or does not work
    │   └── WeightsMissingError    weights that can be had are not on this computer
    ├── SettingError         a setting outside its range; a ValueError too
    ├── OutputExistsError    something is at the place of the output; nothing is replaced unasked
    │   └── RunExistsError         the folder for a training run holds one already
    ├── RecipeError          a recipe with a wrong key or value
    ├── DownloadError        a file that could not be fetched whole
    └── MissingExtraError    an optional part of the package that is not installed

The text names the file or key and says the plain cause. What to do about it on the command line
(`--force` and the like) is added there, never here.
"""


class SemilarError(Exception):
    """Something the caller can mend. Its text names the file or key and the cause.

    The command line prints that text without a traceback and ends with status 2; in a batch
    the other files go on.
    """


class PhotoError(SemilarError):
    """A picture or mask that cannot be read, used or written; the text names the file."""


class SeveralPicturesError(PhotoError):
    """A file of several pictures where one is needed; `first_frame=True` takes the first."""


class ModelError(SemilarError):
    """A model, engine or device that is not there or does not work."""


class WeightsMissingError(ModelError):
    """Weights that can be had are not on this computer."""


class SettingError(SemilarError, ValueError):
    """A setting outside its range."""


class OutputExistsError(SemilarError):
    """Something is at the place of the output already, and nobody asked to replace it."""


class RunExistsError(OutputExistsError):
    """The folder for a training run holds one already."""


class RecipeError(SemilarError):
    """A recipe with a wrong key or value; the text names the key and the file."""


class DownloadError(SemilarError):
    """A file that could not be fetched whole and unharmed."""


class MissingExtraError(SemilarError):
    """An optional part of the package is needed and not installed."""

    def __init__(self, package: str, extra: str, *, what: str = "This") -> None:
        super().__init__(
            f'{what} needs {package}, which is not installed: pip install "semilar[{extra}]"'
        )
        self.package = package
        self.extra = extra
