"""Says how far pip is, from what it prints: pip install ... 2>&1 | python tools/pip_progress.py LOCKFILE

One line that is written over, on a terminal; else a line at the beginning of each part. pip's complaints are
passed on. `pip: failed` as the last line of the input ends with exit code 1.
"""

import re
import sys


def main() -> int:
    with open(sys.argv[1], encoding="utf-8") as lock:
        packages = sum("==" in line for line in lock)
    terminal, seen, code = sys.stdout.isatty(), 0, 0
    for line in sys.stdin:
        found = re.match(r"Collecting ([^\s=]+)", line)
        if found:
            seen += 1
            if terminal:
                print(f"\r\033[Kmake: package {seen} of {packages}, {found[1]}", end="", flush=True)
        elif line.startswith("Installing collected packages"):
            print(("\r\033[K" if terminal else "") + f"make: unpacking {seen} packages", flush=True)
        elif line.startswith(("ERROR", "error")):
            print(("\n" if terminal else "") + line.rstrip(), file=sys.stderr, flush=True)
        elif line.startswith("pip: failed"):
            code = 1
    return code


if __name__ == "__main__":
    sys.exit(main())
