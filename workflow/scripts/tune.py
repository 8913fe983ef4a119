"""Rule tune: the command `exact-census tune`."""

from workflow.pipeline.threads import limit_threads

limit_threads()  # before numpy is imported

import sys

from workflow.cli.main import main

if __name__ == "__main__":
    main(["tune", *sys.argv[1:]])
