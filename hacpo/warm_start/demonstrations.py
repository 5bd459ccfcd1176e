"""The demonstrations of a warm start, drawn and encoded before training begins.

Legend: U distinct demonstrations, S steps, B rows of a step, T tokens.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from hacpo.rollout.tokens import TokenCodec
from hacpo.task.task import Demonstrator
from hacpo.types import Problem


@dataclass(frozen=True, kw_only=True, slots=True)
class Demonstrations:
    """What a warm start trains on.

    Many steps repeat a few thousand distinct rows, so each is kept once: every step then costs
    one lookup and no tokenisation.
    """

    input_ids_UT: Tensor  # [U, T] int64: prompt, completion and EOS, padded on the right
    prompt_lengths_U: Tensor  # [U] int64
    lengths_U: Tensor  # [U] int64, prompt and EOS included
    rows_SB: Tensor  # [S, B] int64 row numbers

    @property
    def steps(self) -> int:
        """How many batches there are."""
        return self.rows_SB.shape[0]

    def batch(self, step: int) -> tuple[Tensor, Tensor]:
        """Return the ids [B, T] of a step, and which of them are learnt [B, T] bool.

        Learnt are the completion and its EOS. The mask comes from lengths, so EOS is learnt even
        where it is the padding token too. T is the longest row of this step.
        """
        rows = self.rows_SB[step]
        lengths_B = self.lengths_U[rows]
        width = int(lengths_B.max())
        places = torch.arange(width)
        learnt_BT = (places >= self.prompt_lengths_U[rows, None]) & (places < lengths_B[:, None])
        return self.input_ids_UT[rows, :width], learnt_BT

    def digest(self) -> str:
        """Return a SHA-256 of everything here: equal exactly when the training data are equal."""
        digest = hashlib.sha256()
        for tensor in (self.input_ids_UT, self.prompt_lengths_U, self.lengths_U, self.rows_SB):
            digest.update(f"{tuple(tensor.shape)}".encode())
            digest.update(tensor.numpy().tobytes())
        return digest.hexdigest()


def draw_demonstrations(
    problems: Sequence[Problem],
    demonstrator: Demonstrator,
    codec: TokenCodec,
    *,
    steps: int,
    batch_size: int,
    seed: int,
) -> Demonstrations:
    """Return the demonstrations of a whole warm start; the same seed gives the same ones.

    Every problem comes once before any comes again, each time with a fresh completion.
    """
    if steps < 1 or batch_size < 1 or not problems:
        raise ValueError(
            f"a warm start needs steps, rows and problems; got {steps} steps of {batch_size} rows "
            f"and {len(problems)} problems"
        )
    dice = random.Random(f"warm start/{seed}")
    stream = _in_epochs(problems, dice)
    numbers: dict[tuple[str, str], int] = {}
    rows = []
    for _ in range(steps * batch_size):
        problem = next(stream)
        pair = (problem.prompt, demonstrator(problem, dice))
        rows.append(numbers.setdefault(pair, len(numbers)))
    encoded = _encode(list(numbers), codec)
    return Demonstrations(
        input_ids_UT=_padded([prompt + completion for prompt, completion in encoded], codec.pad_id),
        prompt_lengths_U=torch.tensor([len(prompt) for prompt, _ in encoded]),
        lengths_U=torch.tensor([len(prompt) + len(completion) for prompt, completion in encoded]),
        rows_SB=torch.tensor(rows).view(steps, batch_size),
    )


def _in_epochs(problems: Sequence[Problem], dice: random.Random) -> Iterator[Problem]:
    order = list(problems)
    while True:
        dice.shuffle(order)
        yield from order


def _encode(
    pairs: Sequence[tuple[str, str]], codec: TokenCodec
) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    prompts = {prompt: codec.encode_prompt(prompt) for prompt, _ in pairs}
    completions = codec.encode_completions([(text, True) for _, text in pairs])
    return [
        (prompts[prompt], completion)
        for (prompt, _), completion in zip(pairs, completions, strict=True)
    ]


def _padded(rows: Sequence[tuple[int, ...]], pad_id: int) -> Tensor:
    width = max(len(row) for row in rows)
    return torch.tensor([[*row, *[pad_id] * (width - len(row))] for row in rows])
