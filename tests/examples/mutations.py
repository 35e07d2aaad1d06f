# SPDX-License-Identifier: Apache-2.0
"""Ten slips in each example, of the kinds that people make: one place of its text, changed.

They were written down before any of them was checked. `MISSED` names those that are not reported.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mutation:
    """A slip: the first occurrence of `old` becomes `new`."""

    slip: str
    old: str
    new: str

    def applied(self, source: str) -> str:
        """The program with the slip. Raises AssertionError if it has no such place."""
        assert self.old in source, self
        return source.replace(self.old, self.new, 1)


MUTATIONS = {
    "gpt": [
        Mutation("softmax input in wrong order", "q @ k.transpose(-2, -1)", "q @ k"),
        Mutation("wrong axes swapped back", "y.transpose(1, 2)", "y.transpose(2, 3)"),
        Mutation("heads not swapped back", "y.transpose(1, 2).contiguous()", "y.contiguous()"),
        Mutation(
            "wrong view order",
            "k = k.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)",
            "k = k.view(B, self.n_head, T, C // self.n_head)",
        ),
        Mutation(
            "wrong in_features", "nn.Linear(4 * config.n_embd,", "nn.Linear(3 * config.n_embd,"
        ),
        Mutation("split along the wrong axis", "self.n_embd, dim=2)", "self.n_embd, dim=1)"),
        Mutation(
            "norm of the wrong size",
            "self.ln_f = nn.LayerNorm(config.n_embd)",
            "self.ln_f = nn.LayerNorm(config.block_size)",
        ),
        Mutation(
            "loss on logits that are not flattened", "logits.view(-1, logits.size(-1))", "logits"
        ),
        Mutation(
            "cat along the wrong axis",
            "torch.cat((idx, chosen), dim=1)",
            "torch.cat((idx, chosen), dim=0)",
        ),
        Mutation(
            "last position without its axis", "logits < best[:, [-1]]", "logits < best[:, -1]"
        ),
    ],
    "unet": [
        Mutation("missing unsqueeze", "[:, :, None, None]", ""),
        Mutation(
            "embedding broadcast from the wrong side", "[:, :, None, None]", "[:, None, None, :]"
        ),
        Mutation("outer product without an axis", "t[:, None].float()", "t.float()"),
        Mutation(
            "cat along the wrong axis", "torch.cat([h, h2], dim=1)", "torch.cat([h, h2], dim=2)"
        ),
        Mutation(
            "wrong channels after a skip",
            "ResBlock(3 * width, width,",
            "ResBlock(2 * width, width,",
        ),
        Mutation("skip left out", "torch.cat([h, h1], dim=1)", "h"),
        Mutation(
            "wrong time width",
            "nn.SiLU(), nn.Linear(4 * width, 4 * width)",
            "nn.SiLU(), nn.Linear(4 * width, width)",
        ),
        Mutation("einsum sums over the wrong axis", '"bqk,bck->bcq"', '"bqk,bck->bqc"'),
        Mutation(
            "weights per image without axes",
            "self.alphas_bar[t].view(-1, 1, 1, 1)",
            "self.alphas_bar[t]",
        ),
        Mutation("mean over the batch", ".flatten(1).mean(dim=1)", ".flatten(1).mean(dim=0)"),
    ],
    "vit": [
        Mutation("keys not transposed", "k.transpose(-1, -2)", "k"),
        Mutation(
            "heads merged in the wrong place", '"b h n d -> b n (h d)"', '"b h n d -> b h (n d)"'
        ),
        Mutation("heads split the wrong way", '"b n (h d) -> b h n d"', '"b n (h d) -> b n h d"'),
        Mutation("wrong in_features", "nn.Linear(inner_dim, dim)", "nn.Linear(dim, dim)"),
        Mutation("wrong hidden width", "nn.Linear(hidden_dim, dim)", "nn.Linear(dim, dim)"),
        Mutation(
            "cat along the wrong axis",
            "torch.cat((cls_tokens, x), dim=1)",
            "torch.cat((cls_tokens, x), dim=2)",
        ),
        Mutation(
            "class token left out of positions",
            "self.pos_embedding[:, : n + 1]",
            "self.pos_embedding[:, :n]",
        ),
        Mutation(
            "first patch instead of first token", "self.mlp_head(x[:, 0])", "self.mlp_head(x)"
        ),
        Mutation("argmax over the batch", "logits.argmax(dim=-1)", "logits.argmax(dim=0)"),
        Mutation("weights without axes", "weights[:, None] * targets", "weights * targets"),
    ],
    "vae": [
        Mutation("flattened too much", "h.flatten(start_dim=1)", "h.flatten()"),
        Mutation(
            "wrong in_features",
            "nn.Linear(2 * hidden * 7 * 7, latent)",
            "nn.Linear(hidden * 7 * 7, latent)",
        ),
        Mutation(
            "wrong view order",
            "h.view(z.size(0), 2 * self.hidden, 7, 7)",
            "h.view(z.size(0), 7, 7, 2 * self.hidden)",
        ),
        Mutation(
            "wrong channels",
            "nn.ConvTranspose2d(hidden, channels,",
            "nn.ConvTranspose2d(2 * hidden, channels,",
        ),
        Mutation(
            "wrong stride",
            "nn.Conv2d(hidden, 2 * hidden, kernel_size=4, stride=2,",
            "nn.Conv2d(hidden, 2 * hidden, kernel_size=4, stride=1,",
        ),
        Mutation(
            "missing unsqueeze",
            "torch.linspace(0, 1, steps).unsqueeze(1)",
            "torch.linspace(0, 1, steps)",
        ),
        Mutation("sum over the batch too", "recon.sum(dim=(1, 2, 3))", "recon.sum(dim=(0, 2, 3))"),
        Mutation(
            "divergence summed over the batch", "logvar.exp(), dim=1)", "logvar.exp(), dim=0)"
        ),
        Mutation(
            "result transposed",
            "log_likelihood.flatten(1).sum(1).view(samples, -1)",
            "log_likelihood.flatten(1).sum(1).view(-1, samples)",
        ),
        Mutation(
            "bound over the wrong axis",
            "torch.logsumexp(log_weight, dim=0)",
            "torch.logsumexp(log_weight, dim=1)",
        ),
    ],
    "ppo": [
        Mutation(
            "dropped squeeze",
            "self.value_head(self.critic(obs)).squeeze(-1)",
            "self.value_head(self.critic(obs))",
        ),
        Mutation("wrong in_features", "nn.Linear(hidden, 1)", "nn.Linear(obs_dim, 1)"),
        Mutation("norm over the points", "self.state.norm(dim=-1)", "self.state.norm(dim=0)"),
        Mutation("condition without an axis", "done[:, None]", "done"),
        Mutation("cat for stack", "torch.stack(rewards)", "torch.cat(rewards)"),
        Mutation(
            "arguments swapped", "self.critic(obs)).squeeze(-1)", "self.critic(obs.T)).squeeze(-1)"
        ),
        Mutation(
            "advantages of the wrong shape",
            "torch.zeros_like(rewards)",
            "torch.zeros_like(last_value)",
        ),
        Mutation(
            "results swapped",
            "return advantages, advantages + values",
            "return advantages.T, advantages + values",
        ),
        Mutation(
            "one axis not flattened",
            "b_log_probs = rollout.log_probs.reshape(-1)",
            "b_log_probs = rollout.log_probs",
        ),
        Mutation(
            "value with an axis too many",
            "(value - b_returns[index])",
            "(value.unsqueeze(-1) - b_returns[index])",
        ),
    ],
    "graph": [
        Mutation(
            "scatter along the wrong axis",
            "out.index_add(0, index, src)",
            "out.index_add(1, index, src)",
        ),
        Mutation(
            "index without an axis", "index[:, None].expand_as(scores)", "index.expand_as(scores)"
        ),
        Mutation(
            "view in the wrong order",
            "view(n, self.heads, self.out_dim)",
            "view(self.heads, n, self.out_dim)",
        ),
        Mutation(
            "sum over the heads",
            "alpha_src = (h * self.att_src).sum(dim=-1)",
            "alpha_src = (h * self.att_src).sum(dim=1)",
        ),
        Mutation("missing unsqueeze", "alpha.unsqueeze(-1)", "alpha"),
        Mutation(
            "features per edge and per node added",
            "alpha_src[src] + alpha_dst[dst]",
            "alpha_src[src] + alpha_dst",
        ),
        Mutation("messages not flattened", "messages.flatten(1)", "messages.flatten()"),
        Mutation(
            "wrong size of the second layer",
            "GATLayer(heads * hidden, classes, 1,",
            "GATLayer(hidden, classes, 1,",
        ),
        Mutation(
            "cat along the wrong axis",
            "torch.cat([edge_index, loop], dim=1)",
            "torch.cat([edge_index, loop], dim=0)",
        ),
        Mutation("wrong operand transposed", "h.T @ laplacian @ h", "h @ laplacian @ h.T"),
    ],
}
MISSED: dict[str, set[str]] = {name: set() for name in MUTATIONS}
