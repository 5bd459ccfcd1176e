"""Gradient checkpointing of a model that stays in evaluation mode."""

from __future__ import annotations

from types import TracebackType

from transformers import PreTrainedModel
from transformers.modeling_layers import GradientCheckpointingLayer


class CheckpointedLayers:
    """A context in which the layers of a model keep only their inputs for the backward pass.

    transformers does so in training mode alone, where dropout acts too. Here the layers say that
    they train, and what they consist of does not, so the model computes what it did before.
    Outside of the context nothing changes: sampling needs the cache.
    """

    def __init__(self, model: PreTrainedModel) -> None:
        """Prepare a model.

        Raises:
            ValueError: the model's layers cannot be checkpointed.
        """
        self._layers = [m for m in model.modules() if isinstance(m, GradientCheckpointingLayer)]
        if not model.supports_gradient_checkpointing or not self._layers:
            raise ValueError(
                f"{type(model).__name__} has no gradient checkpointing; "
                "set gradient_checkpointing=false"
            )
        # Reentrant checkpoints would need an input with a gradient, which token ids have not.
        # Newer versions of transformers call it so, and warn of the older name.
        name = "activation_checkpointing_enable"
        enable = getattr(model, name, None) or model.gradient_checkpointing_enable
        enable({"use_reentrant": False})

    def __enter__(self) -> None:
        """Begin; the backward pass must come before the end."""
        self._set(True)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """End, also after an error."""
        self._set(False)

    def _set(self, training: bool) -> None:
        for layer in self._layers:
            layer.training = training  # not train(): that would reach the dropout inside
