import csv
import gzip
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smatter.documents.tables import ABSENT, Table, check_output, read_table, write_table
from smatter.errors import InputError, UnreadableError


def written(tmp_path, content, name="mail.csv"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_csv_with_quoted_newlines_quotes_and_blank_lines(tmp_path):
    path = written(tmp_path, 'id,text\n1,"two\nlines, ""quoted"""\n\n2,plain\n')
    table = read_table(path)
    assert table.columns == ("id", "text")
    assert table.rows == [["1", 'two\nlines, "quoted"'], ["2", "plain"]]
    assert table.notes == ()


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_any_line_end(tmp_path, ending):
    table = read_table(written(tmp_path, ending.join(["text,label", "a,x", "b,"])))
    assert table.rows == [["a", "x"], ["b", ""]]


@pytest.mark.parametrize(("delimiter", "named"), [(";", "';'"), ("\t", "a tab"), ("|", "'|'")])
def test_another_delimiter_is_found_said_and_kept(tmp_path, delimiter, named):
    path = written(tmp_path, delimiter.join(["text", '"a,b"']) + "\n" + delimiter.join(["x", "y"]) + "\n")
    table = read_table(path)
    assert table.rows == [["x", "y"]]
    assert named in table.notes[0]
    out = tmp_path / "out.csv"
    write_table(out, table)
    kept = "," if delimiter == "\t" else delimiter  # a tab belongs into .tsv
    assert list(csv.reader(out.open(), delimiter=kept)) == [["text", "a,b"], ["x", "y"]]


def test_a_byte_order_mark_is_kept_for_excel(tmp_path):
    path = written(tmp_path, "text,label\nä,x\n".encode("utf-8-sig"))
    table = read_table(path)
    assert table.columns == ("text", "label")
    write_table(tmp_path / "out.csv", table)
    assert (tmp_path / "out.csv").read_bytes() == path.read_bytes()
    write_table(tmp_path / "out.jsonl", table)
    assert (tmp_path / "out.jsonl").read_bytes() == '{"text": "ä", "label": "x"}\n'.encode()


def test_utf16_and_latin1(tmp_path):
    content = "text,label\nGrüße,x\n"
    assert read_table(written(tmp_path, content.encode("utf-16"))).rows == [["Grüße", "x"]]
    table = read_table(written(tmp_path, content.encode("latin-1")))
    assert table.rows == [["Grüße", "x"]]
    assert "read as Windows-1252" in table.notes[0]
    assert "--encoding" in table.notes[0]


def test_ragged_rows_are_filled_or_kept_and_said(tmp_path):
    table = read_table(written(tmp_path, "text,label\na\nb,x\nc,y,more\n"))
    assert table.columns == ("text", "label", "column 3")
    assert table.rows == [["a", "", ""], ["b", "x", ""], ["c", "y", "more"]]
    assert "1 row with fewer fields" in table.notes[0]
    assert "1 row with more fields" in table.notes[1]


def test_columns_of_the_same_name_get_names_of_their_own(tmp_path):
    table = read_table(written(tmp_path, "text,text,,text\na,b,c,d\n"))
    assert table.columns == ("text", "text (2)", "column 3", "text (3)")
    assert any("column 2 is also named 'text'" in note for note in table.notes)


def test_huge_fields(tmp_path):
    text = "word " * 200_000
    assert read_table(written(tmp_path, f'text,label\n"{text}",x\n')).rows == [[text, "x"]]


def test_nul_characters_are_left_out_and_said(tmp_path):
    table = read_table(written(tmp_path, "text,label\n" + "plenty of words here,x\n" * 5 + "a\0b,x\n"))
    assert table.rows[-1] == ["ab", "x"]
    assert "NUL is left out of 1 line, the first of them 7" in table.notes[0]


def test_a_quote_that_is_never_closed_is_found(tmp_path):
    with pytest.raises(InputError, match="line 3: a quoted field is never closed"):
        read_table(written(tmp_path, 'text,label\na,x\n"b,y\nc,z\n'))


def test_tsv_knows_quotes_or_does_not(tmp_path):
    quoted = read_table(written(tmp_path, 'text\tlabel\n"a\tb"\tx\n', "mail.tsv"))
    assert quoted.rows == [["a\tb", "x"]]
    bare = read_table(written(tmp_path, 'text\tlabel\n"Hello\tx\nhe said\ty\n', "mail.tsv"))
    assert bare.rows == [['"Hello', "x"], ["he said", "y"]]
    assert "quotes do not pair up" in bare.notes[0]


def test_json_lines(tmp_path):
    path = written(tmp_path, '{"text": "a", "label": 3, "n": {"x": [1]}}\n\n{"text": null, "more": 1.5}\n', "m.jsonl")
    table = read_table(path)
    assert table.columns == ("text", "label", "n", "more")
    assert table.rows == [["a", 3, {"x": [1]}, ABSENT], [None, ABSENT, ABSENT, 1.5]]
    write_table(tmp_path / "out.jsonl", table)
    assert [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()] == [
        {"text": "a", "label": 3, "n": {"x": [1]}},
        {"text": None, "more": 1.5},
    ]
    write_table(tmp_path / "out.csv", table)
    rows = list(csv.reader(io.StringIO((tmp_path / "out.csv").read_text())))
    assert rows[1:] == [["a", "3", '{"x": [1]}', ""], ["", "", "", "1.5"]]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{broken", "line 2 is not JSON"),
        ("[1]", "line 2 is a JSON list; each line must be one JSON object"),
        ("[" * 100_000, "line 2 is not JSON"),
    ],
)
def test_bad_json_lines(tmp_path, line, message):
    with pytest.raises(InputError, match=message):
        read_table(written(tmp_path, f'{{"text": "a"}}\n{line}\n', "mail.jsonl"))


def test_gzip(tmp_path):
    path = written(tmp_path, gzip.compress(b"text,label\na,x\n"), "mail.csv.gz")
    assert read_table(path).rows == [["a", "x"]]


@pytest.mark.parametrize(
    ("content", "message"), [("", "is empty"), ("\n\n", "is empty"), ("text,label\n", "names columns and has no rows")]
)
def test_empty_tables(tmp_path, content, message):
    with pytest.raises(InputError, match=message):
        read_table(written(tmp_path, content))


def test_unknown_formats(tmp_path):
    with pytest.raises(InputError, match=r"ends in '\.xlsx'; it must end in \.csv"):
        read_table(written(tmp_path, "a", "mail.xlsx"))
    with pytest.raises(InputError, match="ends in 'no suffix'"):
        read_table(written(tmp_path, "a", "mail"))
    with pytest.raises(UnreadableError, match="a zip archive or an Office document"):
        read_table(written(tmp_path, b"PK\x03\x04", "mail.csv"))


def test_unknown_column(tmp_path):
    with pytest.raises(InputError, match="no column 'subject'; the columns are text, label"):
        read_table(written(tmp_path, "text,label\na,x\n")).column("subject")


def test_values_that_look_like_formulas_stay_as_they_are(tmp_path):
    rows = [["=SUM(A1)", "+1"], ["-x", "@y"]]
    write_table(tmp_path / "out.csv", Table(("text", "label"), rows))
    assert read_table(tmp_path / "out.csv").rows == rows


def test_a_lone_surrogate_survives_as_its_escape(tmp_path):
    path = written(tmp_path, '{"text": "\\ud800"}\n', "mail.jsonl")
    write_table(tmp_path / "out.jsonl", read_table(path))
    assert read_table(tmp_path / "out.jsonl").rows == [["\ud800"]]


def test_further_columns_go_behind(tmp_path):
    table = Table(("a",), [["1"], ["2"]]).with_columns({"b": ["x", "y"], "c": [0.5, 1.0]})
    assert table.columns == ("a", "b", "c")
    assert table.rows == [["1", "x", 0.5], ["2", "y", 1.0]]


cells = st.text(alphabet=st.characters(exclude_characters="\0\r", exclude_categories=["Cs"]), max_size=20)


@given(st.lists(st.tuples(cells, cells), min_size=1), st.sampled_from(["out.csv", "out.tsv", "out.jsonl"]))
def test_what_is_written_is_read_again(tmp_path_factory, rows, name):
    path = tmp_path_factory.getbasetemp() / name
    table = Table(("id", "text", "label"), [[str(i), *row] for i, row in enumerate(rows)])
    write_table(path, table)
    assert read_table(path, "utf-8").rows == table.rows


class TestOutput:
    def test_good_places_are_left_untouched(self, tmp_path):
        check_output(tmp_path / "out.csv", tmp_path / "in.csv")
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize(
        ("out", "message"),
        [
            ("out.xlsx", r"ends in '\.xlsx'"),
            ("folder.csv", "is a folder"),
            ("missing/out.csv", "folder that does not exist"),
            ("in.csv", "INPUT itself"),
            ("documents/out.csv", "is in INPUT"),
        ],
    )
    def test_bad_places(self, tmp_path, out, message):
        (tmp_path / "folder.csv").mkdir()
        (tmp_path / "documents").mkdir()
        source = written(tmp_path, "text,label\n", "in.csv") if out != "documents/out.csv" else tmp_path / "documents"
        with pytest.raises(InputError, match=message):
            check_output(tmp_path / out, source)

    def test_the_input_under_another_name(self, tmp_path):
        source = written(tmp_path, "text,label\n", "in.csv")
        (tmp_path / "link.csv").symlink_to(source)
        with pytest.raises(InputError, match="INPUT itself"):
            check_output(tmp_path / "link.csv", source)

    def test_a_folder_that_may_not_be_written_to(self, tmp_path, monkeypatch):
        def refuse(*_, **__):
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr("smatter.files.tempfile.mkstemp", refuse)
        with pytest.raises(InputError, match=r"cannot be written \(Permission denied\)"):
            check_output(tmp_path / "out.csv", tmp_path / "in.csv")

    def test_nothing_is_left_of_a_table_that_fails_on_the_way(self, tmp_path):
        out = written(tmp_path, "before", "out.csv")
        with pytest.raises(TypeError):
            write_table(out, Table(("a",), [["fine"], [object()]]))
        assert out.read_text() == "before"
        assert list(tmp_path.iterdir()) == [out]
