"""The seed documents' tables as runnable definitions.

A file of this folder defines experiments (``inputs`` makes the matrices that they share); the folder ``engine`` holds
what finds, runs and reports them.
"""

from smatter.experiments.engine.definition import Experiment
from smatter.experiments.engine.discovery import all_experiments
from smatter.experiments.engine.running import run

__all__ = ["Experiment", "all_experiments", "run"]
