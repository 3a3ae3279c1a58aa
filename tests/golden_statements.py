"""Statements to compare with; `python tests/golden_statements.py` writes them anew.

Two runs: one that meets what the accounting assumes, and one that meets little, with a claim, and with words from which
every format must be protected. The version of gaussdp is left out, and so is the drawing inside the page: it has a
picture of its own.
"""

import re
from pathlib import Path

import numpy as np
from PIL import Image

import gaussdp
from golden_images import FOLDER as PICTURES
from golden_images import coarse

FOLDER = Path(__file__).parent / "golden" / "statements"
ENDINGS = {"text": "txt", "markdown": "md", "html": "html", "latex": "tex", "json": "json"}
PICTURED = ("good", "plain")
HOSTILE = r"""<script>alert('x')</script> & \input{/etc/passwd} %_^~#${} | `rm` *b* [l](javascript:0) "q" -- 名 é €"""


def runs():
    """The runs, by name."""
    mechanism = gaussdp.DPSGD(noise_multiplier=1.0, sample_rate=0.00512, steps=3907)
    good = gaussdp.Run(
        mechanism=mechanism,
        title="Digit classifier, release 1",
        data="50,000 images of handwritten digits",
        contact="privacy@example.org",
        unit="one image",
        records_per_unit=1,
        adjacency="add-remove",
        sampling="poisson",
        accesses=("training",),
        outputs=("final weights", "every checkpoint"),
        tuning="none",
        clipping="per-example",
        clip_norm=1.0,
        randomness="secure",
        dataset_size=50_000,
    )
    bad = gaussdp.Run(
        mechanism=mechanism,
        title=HOSTILE,
        data=HOSTILE,
        contact=HOSTILE,
        unit=HOSTILE,
        records_per_unit=3,
        adjacency="replace-one",
        sampling="shuffle",
        accesses=(HOSTILE,),
        outputs=(HOSTILE,),
        tuning="not counted",
        tuning_runs=2,
        clipping="per-batch",
        randomness="ordinary",
        claim="epsilon=1.75 delta=1e-5",
    )
    plain = gaussdp.Run(
        mechanism=gaussdp.Composition([4 * gaussdp.Gaussian(4.0), gaussdp.Gaussian(2.0)]),
        unit="one person",
        adjacency="add-remove",
        claim="rho=0.25",
    )
    return {"good": good, "bad": bad, "plain": plain}


def rendered(report, name):
    """The rendering without what differs between versions and machines."""
    text = report.render(name).replace(report.version, "VERSION")
    text = re.sub(r',\s*"curve": \[.*?\]', "", text, flags=re.DOTALL)  # whose last digits are those of the machine
    return re.sub(r"<svg .*?</svg>", "<svg></svg>", text, flags=re.DOTALL)


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for key, run in runs().items():
        report = gaussdp.report_run(run)
        for style, ending in ENDINGS.items():
            (FOLDER / f"{key}.{ending}").write_text(rendered(report, style))
        if key in PICTURED:
            picture = np.rint(coarse(report.figure("png")) * 255).astype(np.uint8)
            Image.fromarray(picture).save(PICTURES / f"statement-{key}.png", optimize=True)
