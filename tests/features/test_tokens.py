"""Terms of texts in any script, of any length."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smatter.features import _tokens
from smatter.features._tokens import Analyzer


def _tokens_of(text: str, **options) -> list[str]:
    settings = {"unit": "word", "shortest": 1, "longest": 1, "lowercase": True, "pattern": None}
    return Analyzer(**(settings | options)).tokens(text)


def _terms_of(text: str, **options) -> list[str]:
    settings = {"unit": "word", "shortest": 1, "longest": 1, "lowercase": True, "pattern": None}
    return [term for piece in Analyzer(**(settings | options)).pieces(text) for term in piece]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        (
            "White space\tand\npunctuation: split; don't_they?",
            ["white", "space", "and", "punctuation", "split", "don", "t", "they"],
        ),
        ("ab12 3.5 C++", ["ab12", "3", "5", "c"]),
        ("nul\x00byte\x7f", ["nul", "byte"]),
        ("Größe ÉTÉ naïve_été", ["größe", "été", "naïve", "été"]),
        ("Здравствуй, мир!", ["здравствуй", "мир"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("العربية، لغة", ["العربية", "لغة"]),
        ("日本語。中文", ["日本語", "中文"]),
        ("\U00011005\U00011038\U00011005 \U0001f600 smile", ["\U00011005\U00011038\U00011005", "smile"]),  # Brahmi
        ("e\u0301te\u0301", ["été"]),  # combining accents are the letter that they make
        ("lone \ud800 surrogate", ["lone", "surrogate"]),
    ],
)
def test_words(text, words):
    assert _tokens_of(text) == words


def test_case_is_kept_on_request():
    assert _tokens_of("One TWO", lowercase=False) == ["One", "TWO"]
    assert _tokens_of("Öl", lowercase=False) == ["Öl"]


@given(st.text(alphabet=st.characters(max_codepoint=127), max_size=80))
def test_ascii_short_cut_is_the_regular_expression(text):
    assert _tokens_of(text) == re.findall("[0-9a-z]+", text.lower())


@given(st.text(max_size=80))
def test_an_ascii_text_is_cut_like_any_other(text):
    ascii_text = text.encode("ascii", "ignore").decode()
    assert _tokens_of(ascii_text) == _tokens_of(ascii_text + " é")[:-1]


@pytest.mark.parametrize("filler", ["", " é"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"longest": 3},
        {"pattern": r"\w(\w+)", "longest": 2},
        {"unit": "char", "longest": 3},
        {"unit": "char", "shortest": 4, "longest": 5},
        {"unit": "char_wb", "longest": 6},
    ],
)
def test_long_texts_have_the_same_terms(monkeypatch, filler, options):
    text = "The quick brown fox jumps over the lazy dog, " * 3 + filler
    whole = sorted(_terms_of(text, **options))
    monkeypatch.setattr(_tokens, "LONG_TEXT", 10)
    monkeypatch.setattr(_tokens, "PIECE", 4)
    assert sorted(_terms_of(text, **options)) == whole


def test_word_ngrams_pass_over_stop_words():
    stop = frozenset(["the"])
    assert sorted(_terms_of("over the lazy dog", shortest=2, longest=3, stop_words=stop)) == [
        "lazy dog",
        "over lazy",
        "over lazy dog",
    ]
