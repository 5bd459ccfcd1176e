"""A Hydra callback that refuses a wrong command before any folder is made or any run begins."""

from __future__ import annotations

import copy
import sys
from collections.abc import Sequence
from typing import Any, cast

from hydra._internal.core_plugins.basic_sweeper import BasicSweeper
from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.errors import HydraException
from hydra.experimental.callback import Callback
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf, flag_override
from omegaconf.errors import OmegaConfBaseException

from hacpo.config.errors import ConfigError
from hacpo.config.explain import explain
from hacpo.config.explain_value import explain_value
from hacpo.config.folders import check_writable
from hacpo.config.load import check, command_line
from hacpo.config.mistakes import refuse

MOST_CHECKED = 200
"""Runs of a sweep that are looked at beforehand; one takes about a fifth of a second."""
WORTH_A_LINE = 10
"""Runs from which on the check takes long enough to be announced."""


class CheckFirst(Callback):
    """Looks at the settings of a run, or of every run of a sweep, before it starts.

    Hydra turns exceptions of callbacks into warnings, so a mistake ends the command from here.
    """

    def on_run_start(self, config: DictConfig, **kwargs: Any) -> None:
        """Refuse a run with a mistake."""
        try:
            check_composed(config)
            check_folder(config, "hydra.run.dir")
        except ConfigError as mistake:
            refuse(mistake)

    def on_multirun_start(self, config: DictConfig, **kwargs: Any) -> None:
        """Refuse a sweep that holds a run with a mistake, and name that run."""
        try:
            jobs = jobs_of_sweep(config)[:MOST_CHECKED]
            if len(jobs) >= WORTH_A_LINE:
                print(f"Checking the settings of {len(jobs)} runs.", file=sys.stderr, flush=True)
            for job in jobs:
                check_job(config, job)
            check_folder(config, "hydra.sweep.dir")
        except ConfigError as mistake:
            refuse(mistake)


def check_composed(config: DictConfig) -> None:
    """Check a whole composed configuration, which stays as it is."""
    overrides = command_line(config.hydra.overrides)
    own = copy.deepcopy(config)
    with flag_override(own, ["struct", "readonly"], False):
        del own["hydra"]
    check(own, overrides)


def jobs_of_sweep(config: DictConfig) -> list[Sequence[str]]:
    """Return the command line of every run of a sweep; none when another sweeper decides later."""
    if not str(config.hydra.sweeper._target_).endswith(".BasicSweeper"):
        return []
    parameters = OmegaConf.to_container(config.hydra.sweeper.params or OmegaConf.create({}))
    named = cast(dict[str, Any], parameters)
    typed = [f"{key}={value}" for key, value in named.items()]
    loader = GlobalHydra.instance().config_loader()
    parser = OverridesParser.create(config_loader=loader)
    task = cast(list[str], OmegaConf.to_container(config.hydra.overrides.task, resolve=False))
    overrides = parser.parse_overrides([*typed, *task])
    return [job for batch in BasicSweeper.split_arguments(overrides, None) for job in batch]


def check_job(config: DictConfig, job: Sequence[str]) -> None:
    """Compose and check one run of a sweep."""
    own = cast(list[str], OmegaConf.to_container(config.hydra.overrides.hydra, resolve=False))
    loader = GlobalHydra.instance().config_loader()
    try:
        composed = loader.load_configuration(
            config_name=config.hydra.job.config_name, overrides=[*own, *job], run_mode=RunMode.RUN
        )
        check_composed(composed)
    except (HydraException, ConfigError, OmegaConfBaseException) as error:
        mistake = explain(error, job)
        assert mistake is not None
        raise ConfigError(
            f"the run {' '.join(job)} of this sweep cannot work: {mistake.message}",
            key=mistake.key,
            fix=mistake.fix,
            file=mistake.file,
        ) from error


def check_folder(config: DictConfig, key: str) -> None:
    """Check the folder that Hydra would make at a key."""
    try:
        folder = str(OmegaConf.select(config, key, throw_on_missing=True))
    except OmegaConfBaseException as error:
        raise explain_value(error) from error
    check_writable(folder, key)
