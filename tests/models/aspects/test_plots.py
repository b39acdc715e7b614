import numpy as np
import pytest

import smatter
from smatter.models.aspects import plots

pytest.importorskip("matplotlib")


@pytest.fixture
def fitted(corpus):
    X, shown, _ = corpus
    return smatter.SoftMislabelPLSA(1).fit(X, shown)


def test_the_heat_map_shows_the_evidence(fitted):
    axes = plots.plot_mislabeling(fitted)
    np.testing.assert_array_equal(axes.images[0].get_array(), fitted.mislabel_evidence_)
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["0", "1", "2"]


def test_the_course_shows_the_objective(fitted):
    axes = plots.plot_course(fitted)
    np.testing.assert_array_equal(axes.lines[0].get_ydata(), fitted.objective_)


def test_words_are_drawn_from_the_best_down(fitted):
    axes = plots.plot_top_words(fitted, 0, n_words=4)
    widths = [bar.get_width() for bar in axes.patches]
    assert widths == sorted(widths)
    assert len(widths) == 4
