"""Advice for who has to choose a budget: questions in plain words, a range of mu, a record of the decision."""

from gaussdp.advising.advice import Advice, advise
from gaussdp.advising.answers import QUESTIONS, Answers, Asked, Question
from gaussdp.advising.published import Published
from gaussdp.advising.record import Record, record

__all__ = ["QUESTIONS", "Advice", "Answers", "Asked", "Published", "Question", "Record", "advise", "record"]
