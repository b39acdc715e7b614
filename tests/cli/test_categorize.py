import csv
import json

import pytest

from smatter.documents.tables import read_table


def accuracy(table, mail):
    rows = zip(table.column("category"), table.column("source"), mail.truth, strict=True)
    hits = [category == truth for category, source, truth in rows if source == "predicted"]
    return sum(hits) / len(hits)


def test_a_table_comes_back_whole_and_in_order(run, table, tmp_path, mail, shown):
    out = tmp_path / "out.csv"
    result = run("categorize", table, "--out", out)
    assert result.exit_code == 0, result.output
    before, after = read_table(table), read_table(out)
    assert after.columns == (*before.columns, "category", "probability", "source")
    assert [row[:4] for row in after.rows] == before.rows
    for label, category, probability, source in zip(
        shown, after.column("category"), map(float, after.column("probability")), after.column("source"), strict=True
    ):
        assert source == ("given" if label else source) and source in ("given", "predicted", "no words: prior")
        assert category == (label or category)
        assert probability == (1.0 if label else probability) and 1 / 7 <= probability <= 1.0
    assert accuracy(after, mail) > 0.6, "a seventh would be luck"


def test_the_summary_says_what_was_read_and_what_it_may_be_worth(run, table, tmp_path):
    result = run("categorize", table, "--out", tmp_path / "out.csv")
    assert "240 documents, 42 labeled" in result.stdout
    assert "text: text; label: label" in result.stdout
    assert "What came back of 42 labels, held out in 10 folds" in result.stdout
    assert "NaiveBayesEM" in result.stdout and "supervised baseline" in result.stdout
    assert f"Written: {tmp_path / 'out.csv'}" in result.stdout
    assert "error" not in result.stderr and "is not known" not in result.stderr


def test_the_mean_probability_is_the_accuracy_on_held_out_labels(run, table, tmp_path):
    out = tmp_path / "out.csv"
    result = run("categorize", table, "--out", out)
    line = next(line for line in result.stdout.splitlines() if line.startswith("NaiveBayesEM"))
    expected = float(line.split()[1].rstrip("%")) / 100
    after = read_table(out)
    claims = [
        float(probability)
        for probability, source in zip(after.column("probability"), after.column("source"), strict=True)
        if source == "predicted"
    ]
    assert sum(claims) / len(claims) == pytest.approx(expected, abs=0.005)


def test_a_folder(run, folder, tmp_path, mail):
    out = tmp_path / "out.tsv"
    result = run("categorize", folder, "--out", out)
    assert result.exit_code == 0, result.output
    after = read_table(out)
    assert after.columns == ("file", "label", "category", "probability", "source")
    assert len(after.rows) == len(mail)
    assert after.column("label").count("") == len(mail) - after.column("source").count("given")


def test_json_lines_in_and_out_keep_the_kind_of_the_labels(run, tmp_path, mail):
    code = {name: number for number, name in enumerate(mail.categories)}
    lines = [
        {"text": text, "label": code[truth] if number < 60 else -1, "more": [number]}
        for number, (text, truth) in enumerate(zip(mail.texts, mail.truth, strict=True))
    ]
    source, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    assert run("categorize", source, "--out", out, "--folds", "0").exit_code == 0
    answers = [json.loads(line) for line in out.read_text().splitlines()]
    assert [{**answer, "category": 0, "probability": 0, "source": 0} for answer in answers] == [
        {**line, "category": 0, "probability": 0, "source": 0} for line in lines
    ]
    assert {type(answer["category"]) for answer in answers} == {int}


def test_same_seed_same_bytes(run, table, tmp_path):
    outs = [tmp_path / "one.csv", tmp_path / "two.csv"]
    for out in outs:
        run("categorize", table, "--out", out, "--seed", "3", "--folds", "0")
    assert outs[0].read_bytes() == outs[1].read_bytes()


def test_another_model_with_parameters(run, table, tmp_path):
    options = ["--model", "naivebayes", "--param", "smoothing=0.1", "--param", "class_prior=uniform", "--folds", "0"]
    result = run("categorize", table, "--out", tmp_path / "out.csv", *options)
    assert result.exit_code == 0, result.output
    assert "not known" in result.stderr


def test_a_text_without_a_known_word_gets_the_prior(run, table, tmp_path):
    with table.open("a", encoding="utf-8") as stream:
        stream.write('wordless,"!!! ???",,\nempty,,,\n')
    out = tmp_path / "out.csv"
    result = run("categorize", table, "--out", out)
    last = read_table(out).rows[-2:]
    assert [row[-1] for row in last] == ["no words: prior"] * 2
    assert last[0][-3:] == last[1][-3:]
    assert "documents without a known word" in result.stderr


def test_values_that_look_like_formulas_and_odd_names_come_back_as_they_were(run, tmp_path):
    rows = [("=cmd|'/c calc'!A1 apples pears", "=fruit"), ("@home tools hammer", " -tools\x1b[31m ")] * 6
    source, out = tmp_path / "in.csv", tmp_path / "out.csv"
    with source.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([("text", "label"), *rows, ("+apples", ""), ("-hammer", "")])
    result = run("categorize", source, "--out", out)
    assert result.exit_code == 0
    after = read_table(out)
    assert after.column("text")[-2:] == ["+apples", "-hammer"]
    assert after.column("category")[-2:] == ["=fruit", " -tools\x1b[31m "]
    assert "\x1b" not in result.output, "names cannot steer the terminal"


def test_columns_of_our_names_are_not_overwritten(run, table, tmp_path):
    first, second, third = (tmp_path / f"{name}.csv" for name in "abc")
    run("categorize", table, "--out", first, "--folds", "0")
    result = run("categorize", first, "--out", second, "--label", "label", "--folds", "0")
    assert "the new ones are smatter_category" in result.stderr
    run("categorize", second, "--out", third, "--label", "label", "--folds", "0")
    assert read_table(third).columns[4:] == tuple(
        f"{prefix}{name}" for prefix in ("", "smatter_", "smatter2_") for name in ("category", "probability", "source")
    )


def test_few_labels_are_warned_of(run, tmp_path):
    source = tmp_path / "in.csv"
    source.write_text("text,label\nham eggs,food\nhammer nail,tools\neggs,\nnail,\n")
    result = run("categorize", source, "--out", tmp_path / "out.csv")
    assert result.exit_code == 0
    assert "2 of 2 categories have fewer than 5 labels ('food', 'tools')" in result.stderr
    assert "how often the answers are right is not known" in result.stderr
    assert read_table(tmp_path / "out.csv").column("category") == ["food", "tools", "food", "tools"]


def test_suspicious_labels_are_warned_of(run, tmp_path):
    source = tmp_path / "in.csv"
    source.write_text("text,label\n" + "".join(f"word{number} common,id{number}\n" for number in range(12)))
    result = run("categorize", source, "--out", tmp_path / "out.csv")
    assert "12 labels name 12 categories: is this the column of the labels?" in result.stderr
    assert "every row has a label" in result.stderr


BAD = {
    "empty": ("", [], "is empty"),
    "no labels": ("text,label\na,\nb,\n", [], "has no label in 2 rows"),
    "one class": ("text,label\na,x\nb,\n", [], "one category only, 'x'"),
    "unknown column": ("text,label\na,x\n", ["--label", "kind"], "no column 'kind'; the columns are text, label"),
    "no text column": ("a,b,label\n1,2,x\n", [], "None of the columns 'a', 'b', 'label' is known to hold the text"),
    "no words": ("text,label\n!,x\n?,y\n-,\n", [], "None of the 3 texts has a word"),
    "stop words only": ("text,label\nthe,x\nof,y\n", [], "not be a stop word"),
    "binary": ("%PDF-1.7", [], "is not text but a PDF"),
    "open quote": ('text,label\n"a,x\n', [], "line 2: a quoted field is never closed"),
    "unknown model": ("text,label\na,x\nb,y\n", ["--model", "NaiveBayess"], "Did you mean NaiveBayes"),
    "dense model": ("text,label\na,x\nb,y\n", ["--model", "GaussianMixtureEM"], "not on counts of words"),
    "unknown parameter": ("text,label\na,x\nb,y\n", ["--param", "speed=9"], "'speed=9' must be one of"),
    "parameter without value": ("text,label\na,x\nb,y\n", ["--param", "smoothing"], "'smoothing' must be one of"),
    "bad parameter": ("text,label\na,x\nb,y\n", ["--param", "smoothing=-1"], "smoothing=-1 of NaiveBayesEM must be"),
    "bad encoding": ("text,label\na,x\nb,y\n", ["--encoding", "klingon"], "encoding 'klingon' is not known"),
    "bad folds": ("text,label\na,x\nb,y\n", ["--folds", "1"], "--folds 1 must be 0"),
    "stop list": ("text,label\na,x\nb,y\n", ["--stop-words", "nothing.txt"], "neither 'english' nor a file"),
    "folder option": ("text,label\na,x\n", ["--unlabeled", "new"], "--unlabeled is for a folder"),
}


@pytest.mark.parametrize(("content", "options", "message"), BAD.values(), ids=BAD.keys())
def test_bad_input_is_a_short_error_and_nothing_is_written(run, tmp_path, content, options, message):
    source, out = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text(content)
    result = run("categorize", source, "--out", out, *options)
    assert result.exit_code == 2
    errors = [line for line in result.stderr.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1 and message in errors[0]
    assert "Traceback" not in result.output
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


@pytest.mark.parametrize(
    ("out", "message"),
    [
        ("mail.csv", "INPUT itself"),
        ("missing/out.csv", "folder that does not exist"),
        ("out.xlsx", "must end in .csv, .tsv, .jsonl"),
    ],
)
def test_bad_out(run, table, tmp_path, out, message):
    result = run("categorize", table, "--out", tmp_path / out)
    assert result.exit_code == 2 and message in result.stderr


def test_out_in_the_folder_of_documents(run, folder):
    result = run("categorize", folder, "--out", folder / "out.csv")
    assert result.exit_code == 2 and "is in INPUT, whose files are documents" in result.stderr


def test_bad_folders(run, folder, tmp_path):
    out = tmp_path / "out.csv"
    (folder / "toast").mkdir()
    result = run("categorize", folder, "--out", out)
    assert result.exit_code == 2 and "holds no file; a category needs one labeled text" in result.stderr
    (folder / "toast" / "scan.pdf").write_bytes(b"%PDF")
    result = run("categorize", folder, "--out", out)
    assert result.exit_code == 2 and "not text but a PDF" in result.stderr
    assert run("categorize", folder, "--out", out, "--label", "x").exit_code == 2
    assert run("categorize", tmp_path / "nowhere", "--out", out).exit_code == 2
    assert not out.exists()
