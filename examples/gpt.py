# SPDX-License-Identifier: Apache-2.0
"""A small GPT: causal attention, blocks, a training loop on made-up text, sampling."""

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn


@dataclass
class Config:
    vocab_size: int = 61
    block_size: int = 32
    n_layer: int = 2
    n_head: int = 3
    n_embd: int = 48
    dropout: float = 0.1


class CausalSelfAttention(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        assert config.n_embd % config.n_head == 0
        self.qkv = nn.Linear(config.n_embd, 3 * config.n_embd)
        self.proj = nn.Linear(config.n_embd, config.n_embd)
        self.attn_dropout = nn.Dropout(config.dropout)
        self.resid_dropout = nn.Dropout(config.dropout)
        self.n_head = config.n_head
        self.n_embd = config.n_embd
        mask = torch.tril(torch.ones(config.block_size, config.block_size))
        self.register_buffer("mask", mask.view(1, 1, config.block_size, config.block_size))

    def forward(self, x: Float[Tensor, "b t c"]) -> Float[Tensor, "b t c"]:
        B, T, C = x.size()
        q, k, v = self.qkv(x).split(self.n_embd, dim=2)
        q = q.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        k = k.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        v = v.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)

        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        att = att.masked_fill(self.mask[:, :, :T, :T] == 0, float("-inf"))
        att = F.softmax(att, dim=-1)
        att = self.attn_dropout(att)
        y = att @ v
        y = y.transpose(1, 2).contiguous().view(B, T, C)
        return self.resid_dropout(self.proj(y))


class MLP(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        self.fc = nn.Linear(config.n_embd, 4 * config.n_embd)
        self.gelu = nn.GELU()
        self.proj = nn.Linear(4 * config.n_embd, config.n_embd)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, x: Float[Tensor, "b t c"]) -> Float[Tensor, "b t c"]:
        x = self.gelu(self.fc(x))
        return self.dropout(self.proj(x))


class Block(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        self.ln_1 = nn.LayerNorm(config.n_embd)
        self.attn = CausalSelfAttention(config)
        self.ln_2 = nn.LayerNorm(config.n_embd)
        self.mlp = MLP(config)

    def forward(self, x: Float[Tensor, "b t c"]) -> Float[Tensor, "b t c"]:
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class GPT(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        self.wte = nn.Embedding(config.vocab_size, config.n_embd)
        self.wpe = nn.Embedding(config.block_size, config.n_embd)
        self.drop = nn.Dropout(config.dropout)
        self.blocks = nn.ModuleList([Block(config) for _ in range(config.n_layer)])
        self.ln_f = nn.LayerNorm(config.n_embd)
        self.lm_head = nn.Linear(config.n_embd, config.vocab_size, bias=False)

    def forward(self, idx: Int[Tensor, "b t"]) -> Float[Tensor, "b t vocab"]:
        _, t = idx.shape
        assert t <= self.config.block_size
        pos = torch.arange(t, device=idx.device)
        tok_emb = self.wte(idx)
        pos_emb = self.wpe(pos)
        x = self.drop(tok_emb + pos_emb)
        for block in self.blocks:
            x = block(x)
        return self.lm_head(self.ln_f(x))

    def loss(self, idx: Int[Tensor, "b t"], targets: Int[Tensor, "b t"]) -> Float[Tensor, ""]:
        logits = self(idx)
        return F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1))

    @torch.no_grad()
    def generate(self, idx: Int[Tensor, "b t"], steps: int, top_k: int) -> Int[Tensor, "b n"]:
        for _ in range(steps):
            cropped = idx[:, -self.config.block_size :]
            logits = self(cropped)[:, -1, :]
            best, _ = torch.topk(logits, top_k)
            logits = logits.masked_fill(logits < best[:, [-1]], float("-inf"))
            probs = F.softmax(logits, dim=-1)
            chosen = torch.multinomial(probs, num_samples=1)
            idx = torch.cat((idx, chosen), dim=1)
        return idx


def get_batch(
    data: Int[Tensor, "length"], batch_size: int, block_size: int
) -> tuple[Int[Tensor, "batch_size block_size"], Int[Tensor, "batch_size block_size"]]:
    starts = torch.randint(len(data) - block_size, (batch_size,))
    index = starts[:, None] + torch.arange(block_size)
    return data[index], data[index + 1]


def main() -> None:
    torch.manual_seed(0)
    config = Config()
    model = GPT(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    data = torch.arange(997) * 7 % config.vocab_size
    for step in range(20):
        x, y = get_batch(data, 5, 29)
        loss = model.loss(x, y)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        if step % 5 == 0:
            print(f"step {step}: loss {loss.item():.3f}")
    model.eval()
    print(model.generate(data[:2].view(1, 2), steps=11, top_k=7).tolist())


if __name__ == "__main__":
    main()
