"""Collections of numbers: Abalone and Digits."""

from pathlib import Path, PurePosixPath

import numpy as np

from smatter.datasets.archives import read_members
from smatter.datasets.collection import Collection, as_labels
from smatter.datasets.download import Archive, obtain
from smatter.errors import InputError, UnreadableError


def _abalone_file(name: str) -> str | None:
    file = PurePosixPath(name).name
    return file if file == "abalone.data" else None


ABALONE = Archive(
    ("abalone.data", "abalone.zip", "abalone"),
    "https://archive.ics.uci.edu/ml/machine-learning-databases/abalone/abalone.data",
    _abalone_file,
    sha256="de37cdcdcaaa50c309d514f248f7c2302a5f1f88c168905eba23fe2fbc78449f",
)
_SEXES = {"I": 0.0, "M": 1.0, "F": 2.0}
_COLUMNS = 9


def load_abalone(source: str | Path | None = None, download: bool = False) -> Collection:
    """Load abalones of 5 to 15 rings; the class is whether they have at most 9 or at least 10.

    Seed 002's rule: 3,842 rows, of which 2,022 are ``"5-9"`` (its positive class) and 1,820 are ``"10-15"``. The
    features are the sex (infant 0, male 1, female 2) and seven measurements.

    Parameters
    ----------
    source : path, optional
        The file ``abalone.data``, an archive or folder with it; else it is looked for in ``data_folder()`` and in the
        cache.
    download : bool, default False
        Fetch the file where it is not found.

    References
    ----------
    W. Nash et al.: Abalone. UCI Machine Learning Repository, 1994.

    """
    path = obtain(ABALONE, source, download)
    rows = [line.split(",") for line in _abalone_text(path).split()]
    try:
        table = np.array([[_SEXES[sex], *map(float, numbers)] for sex, *numbers in rows])
        if table.shape != (len(rows), _COLUMNS):
            raise ValueError(f"it is a table of {table.shape}")
    except (KeyError, ValueError) as error:
        raise UnreadableError(
            f"{path} is not abalone.data ({error}); each line is a sex, seven measurements and the rings, separated by "
            "commas: check the file."
        ) from error
    rings = table[:, -1]
    kept = np.flatnonzero((rings >= 5) & (rings <= 15))
    return Collection(
        "abalone",
        [],
        table[kept, :-1],
        as_labels("5-9" if count <= 9 else "10-15" for count in rings[kept]),
        tuple(str(row + 1) for row in kept),
        "UCI Abalone, 5 to 15 rings, sex (0 infant, 1 male, 2 female) and seven measurements",
    )


def _abalone_text(path: Path) -> str:
    if path.is_file() and path.suffix == ".data":
        return path.read_text(encoding="ascii", errors="replace")
    for _, content in read_members(path, _abalone_file):
        return content.decode("ascii", errors="replace")
    raise UnreadableError(f"{path} holds no abalone.data: check the path.")


def load_digits(task: str = "odd-even") -> Collection:
    """Load scikit-learn's 1,797 images of 8 × 8 pixels; the class is odd or even, or the digit.

    Parameters
    ----------
    task : {"odd-even", "ten"}
        Seed 002's two classes (891 even, 906 odd), or all ten.

    References
    ----------
    E. Alpaydin and C. Kaynak: Optical recognition of handwritten digits. UCI Machine Learning Repository, 1998.

    """
    from sklearn.datasets import load_digits as sklearn_digits

    if task not in ("odd-even", "ten"):
        raise InputError(f"task={task!r} must be 'odd-even' or 'ten': change task.")
    images, digits = sklearn_digits(return_X_y=True)
    labels = as_labels(("even", "odd")[digit % 2] if task == "odd-even" else str(digit) for digit in digits)
    name = "digits" if task == "odd-even" else "digits-ten"
    ids = tuple(map(str, range(len(digits))))
    return Collection(name, [], images.astype(np.float64), labels, ids, f"8 x 8 images of digits, {task}")
