"""Runs in LiteLLM's own Python: what ``litellm --config FILE --validate_config`` says of the files of a folder.

Loading LiteLLM takes seconds, so it is loaded once; each file is judged in a process of its own, by the function that
the command calls, because LiteLLM keeps settings in its modules. Beside ``NAME.yaml`` stands the environment,
``NAME.json``. Prints a JSON object: by name the exit status and what was printed.

Run as ``python validate_configs.py FOLDER 0/2``: the first of two shares of the files.
"""

import contextlib
import io
import json
import os
import sys
from pathlib import Path
from typing import Any


def main() -> None:
    folder, (share, shares) = Path(sys.argv[1]), map(int, sys.argv[2].split("/"))
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    import litellm.proxy.proxy_server  # noqa: F401 - what takes long
    from litellm.proxy.proxy_cli import ProxyInitializationHelpers as Command

    said = {}
    for file in sorted(folder.glob("*.yaml"))[share::shares]:
        reading, writing = os.pipe()
        if (child := os.fork()) == 0:
            with os.fdopen(writing, "w") as pipe:
                pipe.write(json.dumps(judged(Command.run_config_validation, file)))
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as pipe:
            said[file.stem] = json.loads(pipe.read() or '[-1, "ended without a word"]')
        os.waitpid(child, 0)
    print(json.dumps(said))


def judged(validate: Any, file: Path) -> tuple[int, str]:
    os.environ.update(json.loads(file.with_suffix(".json").read_text()))
    printed, status = io.StringIO(), 0
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            validate(str(file))
        except BaseException as error:
            status = getattr(error, "exit_code", 1)
            print(repr(error))
    return status, printed.getvalue()


if __name__ == "__main__":
    main()
