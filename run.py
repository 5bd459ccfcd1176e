"""Train language models together: `python run.py --help` explains the command line."""

import hydra
from omegaconf import DictConfig

from hacpo.config.mistakes import clear_errors
from hacpo.config.register import register
from hacpo.runtime.errors import AgentRunError

register()


@hydra.main(version_base="1.3", config_path="conf", config_name="config")
def main(config: DictConfig) -> float:
    """Train the agents of one configuration; sweepers get the score."""
    from hacpo.experiment import run

    return run(config)


if __name__ == "__main__":
    with clear_errors(AgentRunError):
        main()
