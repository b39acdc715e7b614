import re
from collections import Counter

import pytest

from smatter.demo import company
from smatter.demo.company import company_mail
from smatter.errors import InputError


def test_the_same_seed_writes_the_same_mail():
    assert company_mail(200, seed=5) == company_mail(200, seed=5)
    assert company_mail(200, seed=5) != company_mail(200, seed=6)


def test_it_is_a_realistic_mixture():
    mail = company_mail(1_500)
    assert len(mail) == len(mail.texts) == len(mail.truth) == 1_500
    sizes = Counter(mail.truth)
    assert len(sizes) == 7 and min(sizes.values()) > 50
    lengths = sorted(len(text.split()) for text in mail.texts)
    assert lengths[100] <= 12 and lengths[-100] >= 80, "notes of a line and reports of a page"
    copies = 1_500 - len(set(mail.texts))
    assert 20 <= copies <= 300
    assert any(text.startswith("FW: ") for text in mail.texts)
    assert any("\n> " in text for text in mail.texts)


def test_categories_share_words():
    mail = company_mail(1_500)
    words = {name: set() for name in mail.categories}
    for text, truth in zip(mail.texts, mail.truth, strict=True):
        words[truth].update(re.findall(r"\w+", text.lower()))
    for one in words.values():
        for other in words.values():
            assert len(one & other) > 0.3 * min(len(one), len(other))


def test_every_phrase_can_be_filled():
    phrases = company._phrases()
    everything = [phrases["greetings"], phrases["closings"], phrases["general"], phrases["subjects"]]
    for category in phrases["categories"].values():
        everything += [category["subjects"], category["sentences"]]
    known = set(phrases["words"]) | set(company._NUMBERS)
    used = {name for part in everything for phrase in part for name in re.findall(r"\{(\w+)\}", phrase)}
    assert used <= known
    assert set(phrases["words"]) <= used, "no list of words is idle"
    assert set(company._NEIGHBORS) == set(phrases["categories"])
    for part in everything:
        assert len(set(part)) == len(part)


def test_nothing_is_left_unfilled():
    assert not any("{" in text for text in company_mail(1_000).texts)


def test_too_few():
    with pytest.raises(InputError, match="n_documents=3 must be at least 14"):
        company_mail(3)
