"""The paper, reproduced: its six tables, its nine plots, and the data that its LaTeX source reads."""

from gaussdp.paper.contents import SECTIONS, Chapter, values_csv, write_paper

__all__ = ["SECTIONS", "Chapter", "values_csv", "write_paper"]
