"""gaussdp advise: from a person's answers to a range of mu, and a record of the decision."""

import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from gaussdp.advising import QUESTIONS, Answers, Published, Question, record
from gaussdp.advising import advise as advised
from gaussdp.advising.answers import MEMBERSHIP, USUAL
from gaussdp.advising.record import decision_entry
from gaussdp.cli.options import Command, OutputFile, Whole, WholeRange, folder_option, number, show, style_option
from gaussdp.cli.runs import registering, registry_options
from gaussdp.documents.files import check_folder, write_file, write_files
from gaussdp.documents.rounding import MOST_DIGITS, shown
from gaussdp.domains import written_share
from gaussdp.errors import DomainError
from gaussdp.words import say

_UNKNOWN = "?"
_PUBLISHED = (
    '"count typical=1000", "sum bound=50", "mean bound=100", "histogram typical=20", "model batch_size=256 epochs=10";'
    " name=... names it"
)


def _share(text: str | float) -> float:
    try:
        return written_share(text) if isinstance(text, str) else text
    except ValueError:
        raise click.BadParameter(f"{text!r} is not a number such as 0.01, 1% or 1/100") from None


def _questions(command: Command) -> Command:
    """An option for each question; the command gets them together as `given`."""
    for question in reversed(QUESTIONS):
        flag = f"--{question.key.replace('_', '-')}"
        usual = "" if question.default is None else f"  [if unknown: {question.default}]"
        command = click.option(
            flag,
            question.key,
            type=_type(question),
            metavar="NUMBER" if question.kind not in ("choice", "whole") else None,
            help=f"{question.text}{usual}",
            callback=_keep,
            expose_value=False,
        )(command)
    return command


def _type(question: Question) -> Any:
    if question.kind == "choice":
        return click.Choice([option.value for option in question.options])
    return Whole() if question.kind == "whole" else _share


def _keep(ctx: click.Context, option: click.Parameter, value: object) -> None:
    given = ctx.params.setdefault("given", {})
    if value is not None:
        given[str(option.name)] = value


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), required=False)
@_questions
@click.option("--title", help="What the plan is called.")
@click.option(
    "--publish",
    multiple=True,
    metavar='"KIND key=value ..."',
    help=f"What each release holds: {_PUBLISHED}. Give it again for more.  [if unknown: count]",
)
@click.option(
    "--require",
    multiple=True,
    metavar='"TEXT | WHO"',
    help="What else must hold, as for choose --require, and who has set it. Give it again for more.",
)
@click.option(
    "--scenario",
    multiple=True,
    metavar='"NAME: key=value ..."',
    help='Another plan to compare: the answers that differ, as in "weekly: every=week". Give it again for more.',
)
@click.option("--ask/--no-ask", default=None, help="Ask the questions.  [default: on a terminal, if nothing is given]")
@click.option("--save", type=OutputFile(), help="Write the answers into this file.")
@folder_option(
    "--record",
    "folder",
    words="Write the record of the decision into this directory: HTML, PDF, Markdown, JSON, picture and policy.toml;"
    ' needs pip install "gaussdp[plot]".',
)
@registry_options
@click.option(
    "--mu", type=number, help="The μ that was decided, for the record.  [default: the lower end of the range]"
)
@click.option("--decided-by", help="Who decides, for the record.")
@click.option(
    "--digits",
    type=WholeRange(1, MOST_DIGITS),
    default=4,
    show_default=True,
    help="Significant digits of every budget, rounded down.",
)
@style_option()
def advise(
    file: Path | None,
    given: Mapping[str, Any],
    title: str | None,
    publish: Sequence[str],
    require: Sequence[str],
    scenario: Sequence[str],
    ask: bool | None,
    save: Path | None,
    folder: Path | None,
    overwrite: bool,
    entry: Path | None,
    told: tuple[str, ...],
    mu: float | None,
    decided_by: str | None,
    digits: int,
    style: str,
) -> None:
    """Help to choose μ: questions in plain words, a range of μ, the noise that it means, and a record to sign.

    The answers come from a policy file, from options, or are asked for on a terminal. "I don't know" is an answer: the
    usual one is then assumed, and the advice says so.

    \b
    Examples:
      gaussdp advise
      gaussdp advise --aim identification --chance 1/1000 --acceptable 1% --every month --years 2
      gaussdp advise --require "epsilon=3 | the board" --publish "count typical=1200 name=visits" --save policy.toml
      gaussdp advise policy.toml --scenario "weekly: every=week" --record decision
    """
    asked = registering(entry, told)
    if folder is not None:
        check_folder(folder, ["record.html"], overwrite)
    answers = Answers() if file is None else Answers.read(file)
    changes: dict[str, Any] = dict(given)
    changes |= {key: value for key, value in (("title", title), ("decided_by", decided_by)) if value is not None}
    if publish:
        changes["published"] = [_published(text) for text in publish]
    if require:
        changes["requirements"] = [_required(text) for text in require]
    if scenario:
        changes["scenarios"] = dict(_scenario(text) for text in scenario)
    changed = Answers.from_mapping({**answers.as_mapping(), **changes}, "advise") if changes else answers
    if ask or (ask is None and file is None and not changes and sys.stdin.isatty()):
        changed = _asked(changed)
    advice = advised(changed, digits=digits)
    decision = None if folder is None and asked is None else record(advice, mu)
    if save is not None:
        changed.write(save)
    if folder is not None and decision is not None:
        write_files(folder, decision.files(), overwrite=overwrite)
    if asked is not None and decision is not None:
        write_file(asked[0], decision_entry(decision, asked[1]).as_yaml().encode())
    show(advice.document(), style, digits)


def _published(text: str) -> dict[str, Any]:
    kind, *pairs = _words(text)
    return {"kind": kind, **_pairs("publish", pairs)}


def _required(text: str) -> dict[str, str]:
    policy, _, source = text.partition("|")
    return {"policy": policy.strip(), "source": source.strip()}


def _scenario(text: str) -> tuple[str, dict[str, Any]]:
    name, colon, changes = text.partition(":")
    if not colon:
        raise click.UsageError('a scenario is written "NAME: key=value ...", as in "weekly: every=week"')
    return name.strip(), _pairs("scenario", _words(changes))


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text) or [""]
    except ValueError:
        raise click.UsageError(f"cannot read {text!r}: a quotation mark is missing") from None


def _pairs(name: str, words: Sequence[str]) -> dict[str, Any]:
    found = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            raise click.UsageError(f"--{name} takes key=value pairs, got {word!r}")
        found[key] = _number_or_text(value)
    return found


def _number_or_text(text: str) -> float | int | str:
    if text.isascii() and text.isdigit():
        return int(text)
    try:
        return written_share(text)
    except ValueError:
        return text


def _asked(answers: Answers) -> Answers:
    """The answers of somebody at a terminal; those that are there already are offered."""
    hint = say("Press return for what stands in brackets; {unknown} for “I don't know”.", unknown=_UNKNOWN)
    click.echo(f"{hint}\n")
    for question in QUESTIONS:
        while True:
            try:
                answers = _answered(answers, question)
                break
            except (DomainError, click.BadParameter) as error:
                click.echo(f"  {error}")
    return _told_published(answers)


def _answered(answers: Answers, question: Question) -> Answers:
    click.echo(f"{question.text}\n  {question.why}")
    for option in question.options:
        click.echo(f"    {option.value:15} {option.label}: {option.meaning}")
    if question.kind == "share":
        click.echo("    " + say("for example: {example}", example=USUAL[answers.aim or MEMBERSHIP].example))
    offered = getattr(answers, question.key)
    usual = answers.filled[question.key] if offered is None else offered
    if question.key == "acceptable" and not answers.tells_limit:  # what would be offered is no limit for that chance
        usual = _UNKNOWN
    text = click.prompt(say("  your answer"), default=shown(usual) if isinstance(usual, float) else str(usual)).strip()
    parsed: Any = None if text == _UNKNOWN else text
    if parsed is not None and question.kind != "choice":
        parsed = Whole().convert(text, None, None) if question.kind == "whole" else _share(text)
    if question.key == "aim" and parsed != answers.aim:
        answers = replace(answers, chance=None, acceptable=None)
    if question.key == "chance" and parsed != answers.chance:
        answers = replace(answers, acceptable=None)
    changed: dict[str, Any] = {question.key: parsed}
    return replace(answers, **changed)


def _told_published(answers: Answers) -> Answers:
    """What each release holds, one line a statistic."""
    question = say(
        "What does each release hold? One line each, an empty one to end; {unknown} for a count.", unknown=_UNKNOWN
    )
    click.echo(question)
    click.echo(f"    {_PUBLISHED}")
    found: list[Published] = []
    while text := click.prompt(say("  your answer"), default="", show_default=False).strip():
        if text == _UNKNOWN:
            break
        try:
            found += Answers.from_mapping({"published": [_published(text)]}, "advise").published
        except (DomainError, click.UsageError) as error:
            click.echo(f"  {error}")
    return replace(answers, published=tuple(found)) if found else answers
