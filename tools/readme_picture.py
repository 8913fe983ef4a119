"""Draw the README's picture from the results of `make report`."""

import sys
from pathlib import Path

from workflow.allocation.read import load_allocation
from workflow.pages.page import headline_figure


def main(name: str) -> None:
    """Picture of results/NAME into docs/images/NAME.png."""
    allocation = load_allocation(name)
    picture = Path("docs/images") / f"{allocation.name}.png"
    headline_figure(Path("results") / allocation.name, allocation, picture)


if __name__ == "__main__":
    main(sys.argv[1])
