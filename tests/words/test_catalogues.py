"""Every sentence that the code says stands in every catalogue, with the same values, and nothing else does."""

import string

import pytest

from catalogues import page_templates, published_templates, python_templates
from gaussdp.risks import registered
from gaussdp.words import LANGUAGES, Phrase
from gaussdp.words.speaking import catalogue_of

OTHERS = [tag for tag in LANGUAGES if tag != "en"]


def said():
    """All templates, each with a place where it is said."""
    made = ((value, risk.__name__) for risk in registered() for value in vars(risk).values())
    risks = ((str.__str__(words), name) for words, name in made if isinstance(words, Phrase))
    return dict((*page_templates(), *python_templates(), *published_templates(), *risks))


def names(template):
    """The names of the values of a template."""
    return {name for _, name, _, _ in string.Formatter().parse(template) if name is not None}


def test_there_is_something_to_say():
    found = said()
    assert {"What binds: {words}{source}.", "Start", "Batch size", "advantage", "members found"} <= set(found)
    assert len(found) > 900


@pytest.mark.parametrize("tag", OTHERS)
def test_every_template_has_its_words_and_no_words_are_left_over(tag):
    catalogue, found = catalogue_of(tag), said()
    missing = {template: place for template, place in found.items() if template not in catalogue}
    assert not missing
    assert not set(catalogue) - set(found)


@pytest.mark.parametrize("tag", OTHERS)
def test_values_keep_their_names(tag):
    for template, words in catalogue_of(tag).items():
        assert names(words) == names(template), template
        assert not any(spec for _, _, spec, _ in string.Formatter().parse(words) if spec), words


@pytest.mark.parametrize("tag", OTHERS)
def test_a_template_stands_once(tag):
    catalogue = catalogue_of(tag)
    assert sum(map(len, catalogue.rooms.values())) == len(catalogue)


def test_what_scripts_say_comes_with_the_page():
    for tag in OTHERS:
        missing = [template for template, _ in page_templates() if template not in catalogue_of(tag).rooms["page"]]
        assert not missing
