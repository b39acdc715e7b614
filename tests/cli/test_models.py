from smatter.registry import models


def test_every_model_is_listed_with_its_family(run):
    output = run("models").output
    for name in models():
        assert name in output
    assert "bayes" in output and "smatter models NAME" in output


def test_a_model_is_explained(run):
    result = run("models", "naivebayesem")
    assert result.exit_code == 0
    assert "NaiveBayesEM" in result.output and "unlabeled_weight" in result.output
    assert "``" not in result.output and ":class:" not in result.output


def test_an_unknown_model(run):
    result = run("models", "NaiveBayess")
    assert result.exit_code == 2
    assert "There is no model 'NaiveBayess'" in result.stderr and "NaiveBayes" in result.stderr
