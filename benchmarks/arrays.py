"""The flat functions on 10^7 everyday inputs on a GPU, in PyTorch and CuPy: times over that of ndtri, and memory.

python -m benchmarks.arrays; it says so where there is no GPU.
"""

import math
import time
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

import gaussdp
from benchmarks.timing import print_table

ELEMENTS = 10_000_000
GOALS = {"epsilon_from_mu": 200, "mu_from_profile": 60, "mu_from_multiplicative_advantage": 60}
MEMORY_GIB = 1.5
ROUNDS = 5


def main() -> None:
    """One table for each library that sees a GPU."""
    rng = np.random.default_rng(0)
    epsilon, mu = 10 ** rng.uniform(-2, 1, ELEMENTS), 10 ** rng.uniform(-2, 1, ELEMENTS)
    level = 10 ** rng.uniform(-8, math.log10(0.5), ELEMENTS)
    delta = 10 ** rng.uniform(-10, -3, ELEMENTS)
    calls = {
        "epsilon_from_mu": (mu, delta),
        "mu_from_profile": (epsilon, delta),
        "mu_from_multiplicative_advantage": (epsilon, level),
        "mu_from_precision": (epsilon, level),
        "delta_from_mu": (mu, epsilon),
        "fnr_from_mu": (mu, level),
        "multiplicative_advantage_from_mu": (mu, level),
        "advantage_from_mu": (mu,),
    }
    shown = False
    for library in (_torch, _cupy):
        found = library()
        if found:
            _table(*found, calls, level)
            shown = True
    if not shown:
        print("\nArrays on a GPU: skipped, neither PyTorch nor CuPy sees one")


def _torch() -> tuple[Any, ...] | None:
    torch = import_module("torch") if find_spec("torch") else None
    if torch is None or not torch.cuda.is_available():
        return None

    def peak() -> int:
        peak = torch.cuda.max_memory_allocated() - torch.cuda.memory_allocated()
        torch.cuda.reset_peak_memory_stats()
        return int(peak)

    def there(array: Any) -> Any:
        return torch.tensor(array, device="cuda")

    return f"PyTorch {torch.__version__}", there, torch.special.ndtri, torch.cuda.synchronize, peak


def _cupy() -> tuple[Any, ...] | None:
    cupy = import_module("cupy") if find_spec("cupy") else None
    if cupy is None or not cupy.cuda.is_available():
        return None
    pool = cupy.get_default_memory_pool()

    def peak() -> int:
        peak = pool.total_bytes() - pool.used_bytes()
        pool.free_all_blocks()
        return int(peak)

    ndtri = import_module("cupyx.scipy.special").ndtri
    return f"CuPy {cupy.__version__}", cupy.asarray, ndtri, cupy.cuda.Device().synchronize, peak


def _table(name: str, there: Any, ndtri: Any, wait: Any, peak: Any, calls: dict[str, Any], level: Any) -> None:
    def timed(function: Any, *arrays: Any) -> float:
        best = math.inf
        for _ in range(ROUNDS):
            wait()
            start = time.perf_counter()
            function(*arrays)
            wait()
            best = min(best, time.perf_counter() - start)
        return best

    unit = timed(ndtri, there(level))
    rows = []
    for called, arguments in calls.items():
        arrays = [there(argument) for argument in arguments]
        function = getattr(gaussdp, called)
        start = time.perf_counter()
        found = function(*arrays)
        wait()
        first = time.perf_counter() - start
        some = slice(0, ELEMENTS, 1000)
        expected = function(*(argument[some] for argument in arguments))
        host = found.get() if hasattr(found, "get") else found.cpu().numpy()
        positive = expected > 0
        worst = float(np.max(np.abs(host[some][positive] / expected[positive] - 1)))
        del found, host
        peak()
        seconds = timed(function, *arrays)
        memory = peak() / 2**30
        goal = str(GOALS.get(called, ""))
        cells = f"{seconds * 1e3:.2f}", f"{seconds / unit:.1f}", goal, f"{memory:.2f}", f"{first:.1f}", f"{worst:.0e}"
        rows.append((called, *cells))
    header = ("function", "ms", "times ndtri", "goal", "GiB on the way", "first call s", "worst error")
    title = f"{name} on a GPU, {ELEMENTS:,} float64 (ndtri: {unit * 1e3:.2f} ms; memory goal {MEMORY_GIB} GiB)"
    print_table(title, header, rows)


if __name__ == "__main__":
    main()
