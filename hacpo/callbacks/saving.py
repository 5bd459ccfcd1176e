"""Leaves an agent on disk: a Lightning checkpoint to continue, a model folder to use."""

from __future__ import annotations

from pathlib import Path

import lightning as L

from hacpo.agent.module import Agent
from hacpo.callbacks.agent_callback import AgentCallback
from hacpo.files import written_whole


class AgentSaver(AgentCallback):
    """Saves the checkpoint every so many steps and at the end, and exports the model at the end."""

    def __init__(
        self, *, checkpoint: Path, export: Path | None, every_steps: int, last_step: int
    ) -> None:
        """Write to `checkpoint` and, unless it is None, to the folder `export`.

        every_steps: 0 saves only after `last_step`.
        """
        self.checkpoint = checkpoint
        self.export = export
        self._every_steps = every_steps
        self._last_step = last_step

    def after_step(self, trainer: L.Trainer, agent: Agent, *, step: int) -> None:
        """Save when it is due."""
        due = self._every_steps and step % self._every_steps == 0
        if due or step == self._last_step:
            with agent.clock("save"), written_whole(self.checkpoint) as aside:
                trainer.save_checkpoint(aside)
        if step == self._last_step and self.export is not None:
            with agent.clock("save"):
                export_agent(agent, self.export)


def export_agent(agent: Agent, folder: Path) -> None:
    """Write a folder that `AutoModelForCausalLM` and `AutoTokenizer` load without this project."""
    with written_whole(folder) as aside:
        agent.language_model.save_pretrained(aside)
        agent.collector.codec.tokenizer.save_pretrained(aside)
