"""From a policy to the noise: the least private parameter that meets a target, checked on the exact curve."""

from gaussdp.calibration.free_numbers import (
    gaussian_noise_multiplier,
    laplace_scale,
    mu_left,
    noise_multiplier,
    parameter,
    sample_rate,
    steps,
)
from gaussdp.calibration.pipelines import Pipeline, training_noise
from gaussdp.calibration.results import Calibration, Status
from gaussdp.calibration.sweep_designs import Design, grid
from gaussdp.calibration.sweeps import sweep
from gaussdp.calibration.targets import Target
from gaussdp.choosing.requirements import parse_target
from gaussdp.risks import AtMost

__all__ = [
    "AtMost",
    "Calibration",
    "Design",
    "Pipeline",
    "Status",
    "Target",
    "gaussian_noise_multiplier",
    "grid",
    "laplace_scale",
    "mu_left",
    "noise_multiplier",
    "parameter",
    "parse_target",
    "sample_rate",
    "steps",
    "sweep",
    "training_noise",
]
