"""Audits of tiny and discrete scores whose truth is known: does a bound exceed it more often than it may?

A trial draws a truth, sizes, and a way to make scores coarse, which no attack can gain from, and repeats the audit.
More misses than a binomial count at the level that was asked for has once in ten million trials are a find.
"""

import random
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
from scipy import special, stats

import gaussdp
from benchmarks.fuzz.trials import Find, Trial
from gaussdp.auditing import Method

REPETITIONS = 200
CHANCE = 1e-7
MUS = (0.0, 0.0, 0.3, 1.0, 2.5)
CONFIDENCES = (0.5, 0.8, 0.95)

Scores = Callable[[np.random.Generator, int, float], np.ndarray]


def coarse(draw: random.Random) -> tuple[str, Scores]:
    """Scores of members and nonmembers: normal ones apart by mu, cut into few values or spoilt in other ways."""
    cuts = sorted(draw.uniform(-2, 3) for _ in range(draw.choice((1, 1, 2, 3, 8))))
    decimals = draw.choice((0, 1))
    scale = draw.choice((5e-324, 1e300, -1e-9, 1.0))
    kinds: dict[str, Scores] = {
        f"cut at {[round(cut, 2) for cut in cuts]}": lambda r, n, mu: 1.0 * np.searchsorted(cuts, r.normal(mu, 1, n)),
        f"rounded to {decimals} digits": lambda r, n, mu: np.round(r.normal(mu, 1, n), decimals),
        "all equal": lambda r, n, mu: np.zeros(n),
        "infinite at the ends": lambda r, n, mu: _ends(r.normal(mu, 1, n)),
        "normal": lambda r, n, mu: r.normal(mu, 1, n),
        "normal in single precision": lambda r, n, mu: r.normal(mu, 1, n).astype(np.float32),
        f"steps of {scale}": lambda r, n, mu: np.floor(np.clip(r.normal(mu, 1, n), -4, 4)) * scale,
    }
    name = draw.choice(list(kinds))
    return name, kinds[name]


def _ends(scores: np.ndarray) -> np.ndarray:
    return np.where(scores > 1, np.inf, np.where(scores < -1, -np.inf, scores))


def _trial(method: Callable[[random.Random], Method], draw: random.Random) -> str:
    mu, confidence = draw.choice(MUS), draw.choice(CONFIDENCES)
    ins, outs = (draw.choice((2, 3, 5, 10, 30, 100)) for _ in range(2))
    name, scores = coarse(draw)
    chosen = method(draw)
    noise = np.random.default_rng(draw.getrandbits(64))
    misses = 0
    for _ in range(REPETITIONS):
        members, nonmembers = scores(noise, ins, mu), scores(noise, outs, 0.0)
        try:
            found = gaussdp.audit(members=members, nonmembers=nonmembers, confidence=confidence, method=chosen)
        except gaussdp.DomainError:
            return "refused"
        misses += _missed(found.mu_lower, mu)
    return judged(misses, confidence, f"{chosen} at {confidence}, mu {mu}, {ins} and {outs} scores, {name}")


def _missed(bound: float, truth: float) -> bool:
    if not bound >= 0:
        raise Find(f"a bound of {bound}")
    return bound > truth * (1 + 1e-12)


def judged(misses: int, confidence: float, words: str) -> str:
    if stats.binom.sf(misses - 1, REPETITIONS, 1 - confidence) < CHANCE:
        raise Find(f"{misses} of {REPETITIONS} bounds above the truth: {words}")
    return "held"


def _errors(draw: random.Random) -> str:
    mu, confidence, threshold = draw.choice(MUS), draw.choice(CONFIDENCES), draw.uniform(-1, 3)
    ins, outs = (draw.choice((1, 2, 5, 20, 200)) for _ in range(2))
    noise = np.random.default_rng(draw.getrandbits(64))
    fnrs, fprs = special.ndtr(threshold - mu), special.ndtr(-threshold)
    misses = 0
    for _ in range(REPETITIONS):
        missed, accused = int(noise.binomial(ins, fnrs)), int(noise.binomial(outs, fprs))
        misses += _missed(
            gaussdp.audit_errors(
                false_positives=accused, nonmembers=outs, false_negatives=missed, members=ins, confidence=confidence
            ).mu_lower,
            mu,
        )
    return judged(misses, confidence, f"audit_errors at {confidence}, mu {mu}, {ins} and {outs} trials")


def _one_run(draw: random.Random) -> str:
    """Canaries with independent normal scores; the attack guesses those of which it is surest."""
    mu, confidence = draw.choice(MUS), draw.choice(CONFIDENCES)
    canaries = draw.choice((1, 2, 5, 20, 100))
    guesses = draw.randint(1, canaries)
    noise = np.random.default_rng(draw.getrandbits(64))
    misses = 0
    for _ in range(REPETITIONS):
        included = noise.integers(0, 2, canaries)
        doubt = noise.normal(mu * included, 1) - mu / 2
        surest = np.argsort(-np.abs(doubt))[:guesses]
        correct = int(((doubt[surest] > 0) == included[surest]).sum())
        misses += _missed(gaussdp.audit_one_run(canaries, guesses, correct, confidence).mu_lower, mu)
    return judged(misses, confidence, f"audit_one_run at {confidence}, mu {mu}, {guesses} of {canaries} canaries")


def _ranks(draw: random.Random) -> str:
    """The same from raw scores, cut into few values or not, in a direction or both."""
    mu, confidence, canaries = draw.choice(MUS), draw.choice(CONFIDENCES), draw.choice((20, 60, 150))
    name, scores = coarse(draw)
    direction = draw.choice(("higher", "either"))
    noise = np.random.default_rng(draw.getrandbits(64))
    misses = 0
    for _ in range(REPETITIONS):
        inside = int(noise.binomial(canaries, 0.5))
        ins, outs = scores(noise, inside, mu), scores(noise, canaries - inside, 0.0)
        if min(inside, canaries - inside):
            found = gaussdp.audit(
                members=ins, nonmembers=outs, confidence=confidence, design="one-run", direction=direction
            )
            misses += _missed(found.mu_lower, mu)
    return judged(misses, confidence, f"one run from scores at {confidence}, mu {mu}, {canaries} canaries, {name}")


def _sequential(draw: random.Random) -> str:
    """A true claim, looked at after every pair."""
    mu, confidence, pairs = draw.choice(MUS), draw.choice(CONFIDENCES), draw.choice((3, 10, 40))
    name, scores = coarse(draw)
    noise = np.random.default_rng(draw.getrandbits(64))
    misses = 0
    for _ in range(REPETITIONS):
        audit = gaussdp.SequentialAudit(mu, confidence)
        audit.update(members=scores(noise, pairs, mu), nonmembers=scores(noise, pairs, 0.0))
        misses += bool(audit.trail.evidence.max() >= 1 / (1 - confidence))
    return judged(misses, confidence, f"sequential audit at {confidence}, mu {mu}, {pairs} pairs, {name}")


METHODS: Mapping[str, Callable[[random.Random], Method]] = {
    "equal local level": lambda draw: gaussdp.EqualLocalLevel(),
    "DKW": lambda draw: gaussdp.DKW(),
    "AUC": lambda draw: gaussdp.AUC(),
    "split": lambda draw: gaussdp.Split(draw.randrange(100)),
    "fixed threshold": lambda draw: gaussdp.FixedThreshold(draw.choice((0.0, 0.5, 1.0, 2.0))),
}
AREAS: Mapping[str, Trial] = {
    **{name: partial(_trial, method) for name, method in METHODS.items()},
    "counts of errors": _errors,
    "one run": _one_run,
    "one run from scores": _ranks,
    "sequential": _sequential,
}
