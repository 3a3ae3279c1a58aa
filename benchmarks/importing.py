"""What `import gaussdp` costs beside importing NumPy and scipy.special."""

import subprocess
import sys

from benchmarks.timing import best_seconds, print_table

LIMIT = 1.3


def main() -> None:
    """Print the ratio."""
    jobs = {
        code: lambda c=code: subprocess.run([sys.executable, "-c", c], check=True)
        for code in ("import numpy, scipy.special", "import gaussdp")
    }
    seconds = best_seconds(jobs, rounds=7)
    base, ours = seconds.values()
    print_table(
        "Import in a new process",
        ("code", "ms", "ratio", "goal"),
        [
            ("import numpy, scipy.special", f"{base * 1e3:.0f}", "1", ""),
            ("import gaussdp", f"{ours * 1e3:.0f}", f"{ours / base:.2f}", str(LIMIT)),
        ],
    )
