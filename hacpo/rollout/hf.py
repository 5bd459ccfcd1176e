"""Engine `hf`: samples with the learner's own transformers model.

Prompts are read once and their cache is repeated for the G completions; completions that ended
leave the batch. Legend: P prompts, G completions, R rows (P * G), V vocabulary.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from transformers import DynamicCache, PreTrainedModel

from hacpo.rollout.engine import SamplingSettings
from hacpo.rollout.tokens import TokenCodec
from hacpo.types import Completion, FinishReason

SHRINK_SHARE = 0.75
"""The batch is compacted when no more than this share of its rows is still running."""


class HFEngine:
    """Samples from a transformers model in this process; it shares the learner's weights."""

    def __init__(self, model: PreTrainedModel, codec: TokenCodec, *, batch_size: int) -> None:
        """Decode at most `batch_size` completions side by side."""
        self._model = model
        self._codec = codec
        self._batch_size = batch_size
        # transformers 5.24 renamed the argument.
        parameters = inspect.signature(model.forward).parameters
        self._cache_keyword = "cache" if "cache" in parameters else "past_key_values"

    def update_weights(self) -> None:
        """Nothing to do: the engine reads the learner's own parameters."""

    @torch.no_grad()
    def generate(
        self, prompts: Sequence[tuple[int, ...]], settings: SamplingSettings, *, seed: int
    ) -> list[list[Completion]]:
        """Return [P][G] completions; see `Engine.generate`."""
        per_prompt = settings.completions_per_prompt
        generator = torch.Generator().manual_seed(seed)
        # Drawn up front, one stream a row: what a row samples does not depend on its neighbours.
        draws_RT = torch.rand(
            len(prompts) * per_prompt,
            settings.max_new_tokens,
            generator=generator,
            dtype=torch.float32,  # the default type is bfloat16 under Lightning's bf16-true
        )
        prompts_at_once = max(1, self._batch_size // per_prompt)
        completions: list[list[Completion]] = []
        for start in range(0, len(prompts), prompts_at_once):
            chunk = prompts[start : start + prompts_at_once]
            first = start * per_prompt
            draws = draws_RT[first : first + len(chunk) * per_prompt]
            # Only a group that is alone in its batch can be too large for it.
            pieces = [draws] if len(chunk) > 1 else torch.split(draws, self._batch_size)
            token_ids = [
                ids
                for piece in pieces
                for ids in self._decode(chunk, settings, piece.to(self._model.device))
            ]
            texts = [self._completion(ids) for ids in token_ids]
            completions += [
                texts[row : row + per_prompt] for row in range(0, len(texts), per_prompt)
            ]
        return completions

    def _completion(self, token_ids: list[int]) -> Completion:
        stopped = token_ids[-1] in self._codec.stop_ids
        return Completion(
            token_ids=tuple(token_ids),
            text=self._codec.decode_completion(token_ids),
            finish_reason=FinishReason.STOP if stopped else FinishReason.LENGTH,
        )

    def _decode(
        self, prompts: Sequence[tuple[int, ...]], settings: SamplingSettings, draws_RT: Tensor
    ) -> list[list[int]]:
        state, logits_RV = self._read_prompts(prompts, draws_RT.shape[0] // len(prompts))
        stop_ids = torch.tensor(sorted(self._codec.stop_ids), device=logits_RV.device)
        results: list[list[int]] = [[] for _ in range(draws_RT.shape[0])]
        for position in range(settings.max_new_tokens):
            tokens = sample_tokens(
                logits_RV.float(),
                draws_RT[state.rows, position],
                settings.temperature,
                settings.top_p,
            )
            for row, token in zip(state.rows.tolist(), tokens.tolist(), strict=True):
                if not state.finished[row]:
                    results[row].append(token)
            ended = torch.isin(tokens, stop_ids)
            for row in state.rows[ended].tolist():
                state.finished[row] = True
            if all(state.finished) or position + 1 == settings.max_new_tokens:
                break
            tokens = state.compact(tokens)
            logits_RV = self._advance(state, tokens)
        return results

    def _read_prompts(
        self, prompts: Sequence[tuple[int, ...]], repeats: int
    ) -> tuple[_DecodeState, Tensor]:
        device = self._model.device
        longest = max(len(prompt) for prompt in prompts)
        pad = self._codec.pad_id
        ids = torch.tensor(
            [[pad] * (longest - len(prompt)) + list(prompt) for prompt in prompts], device=device
        )
        lengths = torch.tensor([len(prompt) for prompt in prompts], device=device)
        columns = torch.arange(longest, device=device)
        attention = (columns >= longest - lengths[:, None]).long()
        cache = DynamicCache(config=self._model.config)
        output = self._model(
            input_ids=ids,
            attention_mask=attention,
            position_ids=(attention.cumsum(1) - 1).clamp(min=0),
            use_cache=True,
            logits_to_keep=1,
            **{self._cache_keyword: cache},
        )
        cache.batch_repeat_interleave(repeats)
        state = _DecodeState(
            cache=cache,
            attention=attention.repeat_interleave(repeats, 0),
            positions=lengths.repeat_interleave(repeats),
            rows=torch.arange(len(prompts) * repeats, device=device),
            finished=[False] * (len(prompts) * repeats),
        )
        return state, output.logits[:, -1].repeat_interleave(repeats, 0)

    def _advance(self, state: _DecodeState, tokens: Tensor) -> Tensor:
        state.attention = torch.cat([state.attention, state.attention.new_ones(len(tokens), 1)], 1)
        output = self._model(
            input_ids=tokens[:, None],
            attention_mask=state.attention,
            position_ids=state.positions[:, None],
            use_cache=True,
            logits_to_keep=1,
            **{self._cache_keyword: state.cache},
        )
        state.positions = state.positions + 1
        logits_RV: Tensor = output.logits[:, -1]
        return logits_RV


@dataclass(kw_only=True)
class _DecodeState:
    """The rows that are still decoded: their cache, mask, next positions and original numbers."""

    cache: DynamicCache
    attention: Tensor  # [R, L]
    positions: Tensor  # [R]
    rows: Tensor  # [R] numbers in the original order
    finished: list[bool]  # by original number

    def compact(self, tokens: Tensor) -> Tensor:
        """Drop finished rows when enough of them have piled up; return the tokens kept."""
        running = [place for place, row in enumerate(self.rows.tolist()) if not self.finished[row]]
        if len(running) > SHRINK_SHARE * len(self.rows):
            return tokens
        keep = torch.tensor(running, device=tokens.device)
        self.cache.batch_select_indices(keep)
        self.attention = self.attention[keep]
        self.positions = self.positions[keep]
        self.rows = self.rows[keep]
        return tokens[keep]


def sample_tokens(
    logits_RV: Tensor, draws_R: Tensor, temperature: float, top_p: float = 1.0
) -> Tensor:
    """Return one token id per row by inverting the cumulative distribution.

    Args:
        logits_RV: unnormalised log-probabilities.
        draws_R: uniform numbers in [0, 1).
        temperature: divides the logits; 0 takes the most probable token.
        top_p: only the fewest, most probable tokens that hold this share can be chosen.

    A token of probability 0 is never chosen.

    Raises:
        FloatingPointError: a logit is NaN.
    """
    if bool(logits_RV.isnan().any()):
        raise FloatingPointError(
            "the model's logits are not numbers; the learning rate may be too high, or its weights "
            "are damaged"
        )
    if temperature == 0:
        return logits_RV.argmax(-1)
    probabilities_RV = (logits_RV / temperature).softmax(-1)
    if top_p < 1:
        probabilities_RV = _nucleus(probabilities_RV, top_p)
    cumulative_RV = probabilities_RV.cumsum(-1)
    # Scaling by the last entry absorbs the rounding of the sum, which may end beside 1; staying
    # below it keeps the search inside the tokens that have a probability.
    total_R = cumulative_RV[:, -1]
    targets_R = torch.minimum(draws_R * total_R, torch.nextafter(total_R, total_R.new_zeros(())))
    return torch.searchsorted(cumulative_RV, targets_R.unsqueeze(-1), right=True).squeeze(-1)


def _nucleus(probabilities_RV: Tensor, top_p: float) -> Tensor:
    ordered_RV, order_RV = probabilities_RV.sort(-1, descending=True)
    # A token stays when those before it do not hold the share yet; so the first always stays.
    before_RV = ordered_RV.cumsum(-1) - ordered_RV
    kept_RV = ordered_RV.masked_fill(before_RV >= top_p, 0.0)
    return torch.zeros_like(probabilities_RV).scatter(-1, order_RV, kept_RV)
