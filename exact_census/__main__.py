"""The command line, as `exact-census` and as `python -m exact_census`."""

from workflow.cli.main import main

__all__ = ["main"]

if __name__ == "__main__":
    main()
