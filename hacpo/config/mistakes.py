"""How a mistake reaches the user: a few lines on stderr and exit code 2, no traceback."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NoReturn

from hacpo.config.errors import ConfigError
from hacpo.config.explain import explain

EXIT_MISTAKE = 2
EXIT_FAILURE = 1
EXIT_INTERRUPTED = 130
"""128 and the number of SIGINT, as shells have it."""
FULL_ERROR = "HYDRA_FULL_ERROR"
"""Set to 1 by users who want tracebacks, and by `clear_errors` so that Hydra lets them through."""
WANTS_TRACEBACKS = os.environ.get(FULL_ERROR) == "1"
"""What the user says; read before `clear_errors` can have set it."""


@contextmanager
def clear_errors(*for_users: type[Exception]) -> Iterator[None]:
    """Report mistakes in the block, which calls Hydra's main function, in plain words.

    Args:
        for_users: exceptions of the run itself whose text is meant for the user; they end the
            command with exit code 1. Every other exception keeps its traceback.

    With HYDRA_FULL_ERROR=1 in the environment, nothing is held back.
    """
    if WANTS_TRACEBACKS:
        yield
        return
    os.environ[FULL_ERROR] = "1"
    try:
        yield
    except ConfigError as error:
        refuse(error)
    except for_users as error:
        _leave(str(error), EXIT_FAILURE)
    except KeyboardInterrupt:  # once agents run, their supervisor takes it
        _leave("interrupted before the run began; nothing was started", EXIT_INTERRUPTED)
    except Exception as error:
        mistake = None if _began_a_job(error) else explain(error, overrides_typed(sys.argv))
        if mistake is None:
            raise
        refuse(mistake)
    finally:
        del os.environ[FULL_ERROR]


def refuse(mistake: ConfigError) -> NoReturn:
    """Print the mistake and end the command."""
    if WANTS_TRACEBACKS:
        raise SystemExit("".join(traceback.format_exception(mistake))) from mistake
    _leave(str(mistake), EXIT_MISTAKE)


def overrides_typed(argv: Sequence[str]) -> list[str]:
    """Return the arguments that are settings; options of Hydra begin with a dash."""
    return [text for text in argv[1:] if not text.startswith("-")]


def _leave(text: str, code: int) -> NoReturn:
    sys.stdout.flush()
    sys.stderr.write(f"{text}\n")
    sys.exit(code)


def _began_a_job(error: BaseException) -> bool:
    """Return whether the exception comes out of a run, where it is no mistake in the settings."""
    frame = error.__traceback__
    while frame is not None:
        if frame.tb_frame.f_code.co_name == "run_job":
            return True
        frame = frame.tb_next
    return False
