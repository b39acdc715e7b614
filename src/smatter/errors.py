"""The exception and warning tree. Every message says the value, the rule and the remedy."""


class SmatterError(Exception):
    """Base of every error that smatter raises on purpose."""


class InputError(SmatterError, ValueError):
    """Data or a parameter that breaks a rule; also a ``ValueError``, as scikit-learn's users expect."""


class LabelError(InputError):
    """Labels that a model cannot learn from."""


class UnreadableError(SmatterError, OSError):
    """A file or folder that cannot be read as what it should be."""


class MissingExtraError(SmatterError, ImportError):
    """An optional dependency that is not installed; the message names the extra."""


class SmatterWarning(UserWarning):
    """Base of every warning: something that the user can change."""


class EmptyRowsWarning(SmatterWarning):
    """Rows without a single known feature: they get the class prior, not an opinion."""


class LabelWarning(SmatterWarning):
    """Labels that the model can learn from, but hardly."""


class NotConvergedWarning(SmatterWarning):
    """An iteration that stopped at its limit; the best solution found is kept."""
