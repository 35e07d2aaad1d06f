# SPDX-License-Identifier: Apache-2.0
"""False alarms of the guard: training steps of public architectures, at the default level.

Each model of `transformers` that can be built small from its configuration, with random weights,
is trained for two steps. Its code is judged as a project's own, which is stricter than what an
installed package gets. Sizes differ: equal ones make more broadcasts ambiguous.

`make bench-guard` installs `transformers` in a folder of its own first.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch

from typedtensors.guard import GuardEvent, Report, guard

BATCH, LENGTH, OUTPUT, LABELS, WORDS = 3, 7, 5, 6, 101
FEWEST_MODELS, MOST_SITES, LARGEST = 40, 3, 3_000_000
# Each configuration takes the words it knows; what it does not know changes nothing.
SMALL: dict[str, Any] = {
    **dict.fromkeys(("hidden_size", "d_model", "n_embd", "dim", "word_embed_proj_dim"), 32),
    **dict.fromkeys(("intermediate_size", "ffn_dim", "hidden_dim", "d_ff"), 44),
    **dict.fromkeys(("encoder_ffn_dim", "decoder_ffn_dim"), 44),
    **dict.fromkeys(("num_hidden_layers", "n_layer", "n_layers", "num_layers"), 2),
    **dict.fromkeys(("encoder_layers", "decoder_layers", "num_decoder_layers"), 2),
    **dict.fromkeys(("num_attention_heads", "n_head", "n_heads", "num_heads"), 4),
    **dict.fromkeys(("encoder_attention_heads", "decoder_attention_heads"), 4),
    **dict.fromkeys(("head_dim", "d_kv"), 8),
    **dict.fromkeys(("num_experts", "num_local_experts"), 4),
    **dict.fromkeys(("max_position_embeddings", "n_positions"), 64),
    **dict.fromkeys(("hidden_dropout_prob", "attention_probs_dropout_prob"), 0.0),
    "num_key_value_heads": 2,
    "moe_intermediate_size": 20,
    "embedding_size": 16,
    "image_size": 28,
    "patch_size": 7,
    "vocab_size": WORDS,
    "num_labels": LABELS,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "decoder_start_token_id": 1,
}


def text() -> dict[str, torch.Tensor]:
    """Sentences of which one is shorter, to be predicted word by word."""
    words = torch.randint(3, WORDS, (BATCH, LENGTH))
    mask = torch.ones(BATCH, LENGTH, dtype=torch.long)
    mask[0, -2:] = 0
    return {"input_ids": words, "attention_mask": mask, "labels": words.clone()}


def translated() -> dict[str, torch.Tensor]:
    """Sentences, and others of another length to make of them."""
    return text() | {"labels": torch.randint(3, WORDS, (BATCH, OUTPUT))}


def image() -> dict[str, torch.Tensor]:
    """Images to be classified."""
    size = SMALL["image_size"]
    pixels = torch.randn(BATCH, 3, size, size)
    return {"pixel_values": pixels, "labels": torch.randint(0, LABELS, (BATCH,))}


# What a model is for: the automatic class of `transformers`, its table of names, and its inputs.
KINDS: dict[str, tuple[str, str, Callable[[], dict[str, torch.Tensor]]]] = {
    "masked": ("AutoModelForMaskedLM", "MODEL_FOR_MASKED_LM_MAPPING_NAMES", text),
    "causal": ("AutoModelForCausalLM", "MODEL_FOR_CAUSAL_LM_MAPPING_NAMES", text),
    "translating": (
        "AutoModelForSeq2SeqLM",
        "MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES",
        translated,
    ),
    "classifying": (
        "AutoModelForImageClassification",
        "MODEL_FOR_IMAGE_CLASSIFICATION_MAPPING_NAMES",
        image,
    ),
}


@dataclass(frozen=True)
class Trained:
    """A model that was trained, and what the guard said of it."""

    name: str
    report: Report

    @property
    def sites(self) -> dict[tuple[str, int], GuardEvent]:
        """The first event of each place."""
        return {(event.file, event.line): event for event in reversed(self.report.events)}


def train(kind: str, level: str) -> Iterator[Trained]:
    """Train each model of a kind that is built small and computes a loss without a guard too."""
    import transformers

    automatic, table, inputs = KINDS[kind]
    auto = getattr(transformers, automatic)
    names = getattr(transformers.models.auto.modeling_auto, table)
    for name in names:
        torch.manual_seed(0)
        try:
            model = _built(auto, transformers.AutoConfig.for_model(name, **SMALL))
            batch = inputs()
            model(**batch).loss.backward()
        except Exception:  # noqa: BLE001, S112 - a model with a configuration of its own kind
            continue
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
        with guard(level, action="record") as report:  # type: ignore[arg-type]
            for _ in range(2):
                optimizer.zero_grad()
                model(**batch).loss.backward()
                optimizer.step()
        yield Trained(f"{kind} {name}", report)


def _built(auto: Any, config: Any) -> torch.nn.Module:  # noqa: ANN401 - it has no types
    with torch.device("meta"):
        count = sum(each.numel() for each in auto.from_config(config).parameters())
    if count > LARGEST:
        msg = "it is not small"
        raise ValueError(msg)
    model: torch.nn.Module = auto.from_config(config)
    return model.train()


def main() -> int:
    """Print the sites of each model; 1 if there are too many, or too few models."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--packages", help="the folder in which `transformers` is installed")
    parser.add_argument("--level", default="suspicious")
    parser.add_argument("kinds", nargs="*", default=[*KINDS], metavar="KIND")
    arguments = parser.parse_args()
    if arguments.packages:
        # At the end: what both have is that of the environment.
        sys.path.append(arguments.packages)
    os.environ["HF_HUB_OFFLINE"] = "1"
    warnings.simplefilter("ignore")
    try:
        import transformers
    except ImportError:
        print("guard_models: transformers is not installed; run: make bench-guard")
        return 0
    transformers.logging.set_verbosity(transformers.logging.CRITICAL)
    torch.set_num_threads(1)
    return _report(each for kind in arguments.kinds for each in train(kind, arguments.level))


def _report(trained: Iterator[Trained]) -> int:
    models, sites = 0, dict[tuple[str, int], GuardEvent]()
    for each in trained:
        models += 1
        print(f"{each.name:40} {len(each.sites)}", flush=True)
        for place, event in each.sites.items():
            if place not in sites:
                print(f"  {event}", flush=True)
        sites |= each.sites
    print(f"{models} models (at least {FEWEST_MODELS}), {len(sites)} sites (at most {MOST_SITES})")
    return int(models < FEWEST_MODELS or len(sites) > MOST_SITES)


if __name__ == "__main__":
    sys.exit(main())
