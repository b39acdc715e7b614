import pytest

from smatter.documents.labeled import read_labeled_table
from smatter.errors import InputError


@pytest.fixture
def table(tmp_path):
    def write(content, name="mail.csv"):
        path = tmp_path / name
        path.write_text(content)
        return path

    return write


def test_columns_are_guessed_by_their_names(table):
    documents = read_labeled_table(table("id,Text,LABEL\n1,a b,x\n2,c,\n3,d,y\n"))
    assert documents.texts == ["a b", "c", "d"]
    assert documents.labels == ["x", None, "y"]
    assert documents.counts == {"x": 1, "y": 1}
    assert "text: Text; label: LABEL" in documents.origin


def test_of_two_columns_the_other_one_is_the_text(table):
    assert read_labeled_table(table("words,label\na,x\nb,\n")).texts == ["a", "b"]
    assert read_labeled_table(table("text,folder\na,x\nb,\n"), text=["text"]).labels == ["x", None]


def test_columns_can_be_named_and_texts_joined(table):
    path = table("subject,body,kind\nHi,there,x\nHo,,\n")
    documents = read_labeled_table(path, ["subject", "body"], "kind")
    assert documents.texts == ["Hi\nthere", "Ho"]


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("a,b,c\n1,2,3\n", {}, r"None of the columns 'a', 'b', 'c' is known to hold the label: name it with --label"),
        ("a,b,label\n1,2,3\n", {}, "is known to hold the text: name it with --text"),
        ("text,label,category\n1,2,3\n", {}, "'label' and 'category' could both hold the label; .*--label"),
        ("text,body,label\n1,2,3\n", {}, "'text' and 'body' could both hold the text"),
        ("text,label\n1,2\n", {"label": "kind"}, "no column 'kind'; the columns are text, label"),
        ("text,label\n1,2\n", {"text": ["subject"]}, "no column 'subject'"),
        ("text,label\n1,2\n", {"text": ["label"], "label": "label"}, "cannot be both text and label"),
    ],
)
def test_columns_that_are_not_clear(table, content, options, message):
    with pytest.raises(InputError, match=message):
        read_labeled_table(table(content), **options)


def test_blank_labels_and_minus_one_among_numbers_are_unlabeled(table):
    assert read_labeled_table(table("text,label\na,3\nb, \nc,-1\nd,0\n")).labels == ["3", None, None, "0"]
    assert read_labeled_table(table("text,label\na,x\nb,-1\n")).labels == ["x", "-1"]


def test_words_for_nothing_and_near_twins_are_pointed_out(table):
    documents = read_labeled_table(table("text,label\na,nan\nb,Spam\nc,spam\nd, spam\n"))
    assert documents.labels == ["nan", "Spam", "spam", " spam"]
    assert "'nan' is taken as a category" in documents.notes[0]
    assert "' spam' and 'Spam' and 'spam' differ only in case or spaces" in documents.notes[1]


def test_json_values_keep_their_kind(table):
    lines = '{"text": "a", "label": 1}\n{"text": 5, "label": true}\n{"text": null, "label": null}\n{"label": "x"}\n'
    documents = read_labeled_table(table(lines, "mail.jsonl"))
    assert documents.texts == ["a", "5", "", ""]
    assert documents.labels == ["1", "true", None, "x"]
    assert documents.names == {"1": 1, "true": True, "x": "x"}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"text": ["a"], "label": "x"}', "Row 2: 'text' is a JSON list; a text must be a string"),
        ('{"text": "a", "label": {"x": 1}}', "'label' holds the JSON dict"),
    ],
)
def test_json_that_is_no_text_or_label(table, line, message):
    with pytest.raises(InputError, match=message):
        read_labeled_table(table(f'{{"text": "a", "label": "x"}}\n{line}\n', "mail.jsonl"))
