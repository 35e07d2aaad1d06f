# SPDX-License-Identifier: Apache-2.0
"""A graph attention layer on edge lists, in a small network that classifies nodes."""

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn


def scatter_sum(
    src: Float[Tensor, "e h"], index: Int[Tensor, "e"], num_nodes: int
) -> Float[Tensor, "num_nodes h"]:
    out = torch.zeros(num_nodes, src.shape[1], dtype=src.dtype)
    return out.index_add(0, index, src)


def edge_softmax(
    scores: Float[Tensor, "e h"], index: Int[Tensor, "e"], num_nodes: int
) -> Float[Tensor, "e h"]:
    top = torch.full((num_nodes, scores.shape[1]), float("-inf"))
    top = top.scatter_reduce(0, index[:, None].expand_as(scores), scores, reduce="amax")
    weights = torch.exp(scores - top[index])
    return weights / scatter_sum(weights, index, num_nodes)[index]


class GATLayer(nn.Module):
    def __init__(self, in_dim: int, out_dim: int, heads: int, edge_dim: int) -> None:
        super().__init__()
        self.heads = heads
        self.out_dim = out_dim
        self.lin = nn.Linear(in_dim, heads * out_dim, bias=False)
        self.lin_edge = nn.Linear(edge_dim, heads)
        self.att_src = nn.Parameter(torch.empty(1, heads, out_dim))
        self.att_dst = nn.Parameter(torch.empty(1, heads, out_dim))
        self.bias = nn.Parameter(torch.zeros(heads * out_dim))
        nn.init.xavier_uniform_(self.att_src)
        nn.init.xavier_uniform_(self.att_dst)

    def forward(
        self,
        x: Float[Tensor, "n d"],
        edge_index: Int[Tensor, "2 e"],
        edge_attr: Float[Tensor, "e f"],
    ) -> Float[Tensor, "n k"]:
        n = x.size(0)
        src, dst = edge_index
        h = self.lin(x).view(n, self.heads, self.out_dim)
        alpha_src = (h * self.att_src).sum(dim=-1)
        alpha_dst = (h * self.att_dst).sum(dim=-1)
        scores = alpha_src[src] + alpha_dst[dst] + self.lin_edge(edge_attr)
        alpha = edge_softmax(F.leaky_relu(scores, 0.2), dst, n)
        messages = h[src] * alpha.unsqueeze(-1)
        out = scatter_sum(messages.flatten(1), dst, n)
        return out + self.bias


class GAT(nn.Module):
    def __init__(self, in_dim: int, hidden: int, classes: int, heads: int, edge_dim: int) -> None:
        super().__init__()
        self.conv1 = GATLayer(in_dim, hidden, heads, edge_dim)
        self.norm = nn.LayerNorm(heads * hidden)
        self.conv2 = GATLayer(heads * hidden, classes, 1, edge_dim)

    def forward(
        self,
        x: Float[Tensor, "n d"],
        edge_index: Int[Tensor, "2 e"],
        edge_attr: Float[Tensor, "e f"],
    ) -> Float[Tensor, "n classes"]:
        h = F.elu(self.norm(self.conv1(x, edge_index, edge_attr)))
        h = F.dropout(h, p=0.3, training=self.training)
        return self.conv2(h, edge_index, edge_attr)


def add_self_loops(
    edge_index: Int[Tensor, "2 e"], edge_attr: Float[Tensor, "e f"], num_nodes: int
) -> tuple[Int[Tensor, "2 e+{num_nodes}"], Float[Tensor, "e+{num_nodes} f"]]:
    loop = torch.arange(num_nodes).unsqueeze(0).repeat(2, 1)
    fill = edge_attr.mean(dim=0, keepdim=True).expand(num_nodes, -1)
    return torch.cat([edge_index, loop], dim=1), torch.cat([edge_attr, fill], dim=0)


def smoothness(h: Float[Tensor, "n d"], adjacency: Float[Tensor, "n n"]) -> Float[Tensor, ""]:
    degree = adjacency.sum(dim=1)
    laplacian = torch.diag(degree) - adjacency
    return torch.trace(h.T @ laplacian @ h) / degree.sum()


def dense_adjacency(edge_index: Int[Tensor, "2 e"], n: int) -> Float[Tensor, "n n"]:
    adjacency = torch.zeros(n, n)
    adjacency[edge_index[0], edge_index[1]] = 1.0
    return torch.maximum(adjacency, adjacency.T)


def accuracy(
    logits: Float[Tensor, "n classes"], labels: Int[Tensor, "n"], mask: Bool[Tensor, "n"]
) -> float:
    correct = logits.argmax(dim=1)[mask] == labels[mask]
    return correct.float().mean().item()


def main() -> None:
    torch.manual_seed(0)
    n = 31
    edge_index = torch.randint(0, n, (2, 97))
    edge_attr = torch.randn(97, 5)
    x = torch.randn(n, 11)
    labels = torch.randint(0, 3, (n,))
    train_mask = torch.rand(n) < 0.6
    edge_index, edge_attr = add_self_loops(edge_index, edge_attr, n)
    adjacency = dense_adjacency(edge_index, n)

    model = GAT(in_dim=11, hidden=8, classes=3, heads=4, edge_dim=5)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
    for epoch in range(30):
        model.train()
        logits = model(x, edge_index, edge_attr)
        loss = F.cross_entropy(logits[train_mask], labels[train_mask])
        loss = loss + 0.01 * smoothness(logits.softmax(dim=-1), adjacency)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if epoch % 10 == 0:
            print(f"epoch {epoch}: loss {loss.item():.3f}")
    model.eval()
    with torch.no_grad():
        logits = model(x, edge_index, edge_attr)
    print("accuracy", accuracy(logits, labels, ~train_mask))


if __name__ == "__main__":
    main()
