"""`python3 -m dev COMMAND`: the implementation of the Makefile. Any Python 3 can read this file."""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 (this line is for those who have an older one)
    this = "{}.{}".format(*sys.version_info)
    sys.exit("loco needs Python 3.11 or newer, this is " + this + "; try `make ... PYTHON=python3.12`")

from dev.commands.main import main

sys.exit(main(sys.argv[1:]))
