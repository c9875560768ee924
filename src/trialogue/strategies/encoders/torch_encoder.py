"""Encoders of architectures other than BERT, run with torch and transformers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from trialogue.errors import DataError, Problem
from trialogue.extras import need
from trialogue.strategies.encoders.bert_numpy import Floats32, Pooling, Tokens
from trialogue.strategies.encoders.folder import EncoderFolder

ROWS = 64  # encoded at a time
OWN_POSITIONS = 2  # that RoBERTa and its like keep for themselves; others can spare them


@dataclass(frozen=True, eq=False)
class TorchBackbone:
    """Transformer of any architecture of ``transformers.AutoModel``; no code in its folder is executed."""

    module: Any
    """In the mode for use, not for training."""
    width: int
    longest: int

    @classmethod
    def from_folder(cls, folder: EncoderFolder) -> "TorchBackbone":
        """Load from a folder.

        Raises:
            DataError: transformers cannot make it of what is in the folder.
            MissingExtraError: torch or transformers is not installed.
        """
        kind = folder.config.get("model_type")
        purpose = f"run an encoder of type {kind!r} (without torch, only BERT can be run)"
        need("torch", extra="neural", purpose=purpose)
        transformers = need("transformers", extra="neural", purpose=purpose)
        try:
            module = transformers.AutoModel.from_pretrained(str(folder.path), local_files_only=True)
        except (OSError, ValueError, KeyError, RuntimeError) as error:
            raise DataError(Problem(f"transformers cannot read this encoder: {error}.", str(folder.path))) from error
        return cls.from_module(module)

    @classmethod
    def from_module(cls, module: Any) -> "TorchBackbone":
        """Wrap an existing module."""
        module.eval()
        positions = int(getattr(module.config, "max_position_embeddings", 0) or 512)
        return cls(module, int(module.config.hidden_size), positions - OWN_POSITIONS)

    def pool(self, rows: Sequence[Tokens], pooling: Pooling = "mean") -> Floats32:
        """One embedding per row, shape (n, width)."""
        torch = need("torch", extra="neural", purpose="run this encoder")
        device = next(self.module.parameters()).device
        found = np.empty((len(rows), self.width), dtype=np.float32)
        order = np.argsort([len(row.ids) for row in rows], kind="stable")
        with torch.inference_mode():
            for start in range(0, len(rows), ROWS):
                part = order[start : start + ROWS]
                ids, types, mask = (torch.from_numpy(one).to(device) for one in pad_rows([rows[at] for at in part]))
                found[part] = pool_states(self.module, ids, types, mask, pooling).float().cpu().numpy()
        return found


def pad_rows(rows: Sequence[Tokens], pad: int = 0) -> tuple[Any, Any, Any]:
    """Padded token ids, segment ids and mask of rows, shape (n, longest) each."""
    longest = max(len(row.ids) for row in rows)
    ids, types, mask = (np.full((len(rows), longest), fill, dtype=np.int64) for fill in (pad, 0, 0))
    for place, row in enumerate(rows):
        size = len(row.ids)
        ids[place, :size], types[place, :size], mask[place, :size] = row.ids, row.types, 1
    return ids, types, mask


def pool_states(module: Any, ids: Any, types: Any, mask: Any, pooling: Pooling) -> Any:
    """One embedding per row of a batch: mean over the first segment, or the first token's state."""
    segments = getattr(module.config, "type_vocab_size", 0) or 0
    more = {"token_type_ids": types} if segments > 1 else {}
    states = module(input_ids=ids, attention_mask=mask, **more).last_hidden_state
    if pooling == "cls":
        return states[:, 0]
    first = (mask * (types == 0)).to(states.dtype).unsqueeze(-1)
    return (states * first).sum(dim=1) / first.sum(dim=1)
