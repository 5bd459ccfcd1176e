"""Where metrics go: `metrics.csv` always, W&B when it is chosen and works."""

from __future__ import annotations

import logging
from typing import Any

from lightning.pytorch.loggers import CSVLogger, Logger, WandbLogger

from hacpo.assembly.assignment import Assignment
from hacpo.callbacks.recording import STEP_KEY

log = logging.getLogger(__name__)

INIT_TIMEOUT_S = 20
"""A server that does not answer by then is done without; the run is kept offline."""


def build_loggers(assignment: Assignment) -> list[Logger]:
    """Return the loggers of one agent. W&B is best effort: its failure never fails a run."""
    folder = assignment.folder
    folder.mkdir(parents=True, exist_ok=True)
    loggers: list[Logger] = [
        CSVLogger(save_dir=folder, name="", version="", flush_logs_every_n_steps=1)
    ]
    if assignment.config.logger.name == "wandb":
        wandb_logger = _wandb(assignment)
        if wandb_logger is not None:
            loggers.append(wandb_logger)
    return loggers


def _wandb(assignment: Assignment) -> WandbLogger | None:
    offline = assignment.config.logger.mode == "offline"
    if not offline:
        try:
            return _open_wandb(assignment, offline=False)
        except Exception as error:
            log.warning("W&B does not answer, so this run is kept offline: %s", error)
    try:
        return _open_wandb(assignment, offline=True)
    except Exception as error:
        log.warning("W&B is off for this run, metrics.csv has everything: %s", error)
        return None


def _open_wandb(assignment: Assignment, *, offline: bool) -> WandbLogger:
    import wandb  # slow to import, and not every run uses it

    config = assignment.config
    logger = WandbLogger(
        project=config.logger.project,
        entity=config.logger.entity,
        name=f"{assignment.run_dir.name}/{assignment.name}",
        group=config.name,
        job_type=assignment.name,
        tags=[*config.logger.tags, config.algorithm.name, f"ablation={config.ablation}"],
        save_dir=assignment.folder,
        offline=offline,
        # Lightning says it by an environment variable, which a session that has begun ignores.
        mode="offline" if offline else "online",
        config=assignment.resolved,
        settings=wandb.Settings(init_timeout=INIT_TIMEOUT_S),
    )
    run: Any = logger.experiment
    run.define_metric(STEP_KEY)
    run.define_metric("*", step_metric=STEP_KEY)
    return logger


def wandb_folder(loggers: list[Logger]) -> str | None:
    """Return the folder of the W&B run, for `wandb sync` and `wandb leet`."""
    for logger in loggers:
        if isinstance(logger, WandbLogger):
            run: Any = logger.experiment
            # `dir` is the run's `files` folder; the run itself is one above.
            return str(run.dir).removesuffix("/files")
    return None


def close_loggers(loggers: list[Logger]) -> None:
    """Finish the W&B run; a failure is logged and nothing more."""
    for logger in loggers:
        if isinstance(logger, WandbLogger):
            try:
                run: Any = logger.experiment
                run.finish()
            except Exception as error:
                log.warning("The W&B run was not closed: %s", error)
