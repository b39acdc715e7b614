import re

import pytest

from experiments.tiny import experiment
from smatter.errors import InputError
from smatter.experiments import all_experiments
from smatter.experiments.engine import discovery


def test_the_baseline_must_be_a_method():
    with pytest.raises(InputError, match=r"baseline='svm' of experiment 'tiny' is not among its methods.*add it"):
        experiment(baseline="svm")


@pytest.mark.parametrize("what", ["collections", "budgets", "measures"])
def test_nothing_may_be_empty(what):
    with pytest.raises(InputError, match=f"{what} of experiment 'tiny' is empty"):
        experiment(**{what: type(getattr(experiment(), what))()})


def test_whatever_a_file_of_the_folder_defines_is_found():
    found = all_experiments()
    text = "".join(file.read_text(encoding="utf-8") for file in discovery._FOLDER.glob("[!_]*.py"))
    assert len(found) == len(re.findall(r"^\w+ = (?:Experiment|replace)\(", text, re.MULTILINE)) > 0
    assert all(name == item.name == name.lower() and " " not in name for name, item in found.items())


def test_two_experiments_of_one_name_are_refused(monkeypatch):
    monkeypatch.setattr(discovery, "_defined_in", lambda module: [experiment()])
    with pytest.raises(InputError, match=r"Two experiments are named 'tiny'.*rename one"):
        discovery.all_experiments()


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(InputError, match=r"no experiment 'nothing'; there are .*krithara-naive-bayes"):
        discovery.find("nothing")


@pytest.mark.parametrize("name", sorted(all_experiments()))
def test_a_definition_makes_its_estimators_and_speaks_of_real_methods(name):
    definition = all_experiments()[name]
    for factory in definition.methods.values():
        first, second = factory(), factory()
        assert first is not second and hasattr(first, "fit")
    assert definition.notes and definition.title
