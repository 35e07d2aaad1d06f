# SPDX-License-Identifier: Apache-2.0
"""A vision transformer with einops, trained for a few steps on made-up images."""

import torch
import torch.nn.functional as F
from einops import rearrange, repeat
from einops.layers.torch import Rearrange
from jaxtyping import Float, Int
from torch import Tensor, nn


class FeedForward(nn.Module):
    def __init__(self, dim: int, hidden_dim: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.net = nn.Sequential(
            nn.LayerNorm(dim),
            nn.Linear(dim, hidden_dim),
            nn.GELU(),
            nn.Dropout(dropout),
            nn.Linear(hidden_dim, dim),
            nn.Dropout(dropout),
        )

    def forward(self, x: Float[Tensor, "b n d"]) -> Float[Tensor, "b n d"]:
        return self.net(x)


class Attention(nn.Module):
    def __init__(self, dim: int, heads: int = 8, dim_head: int = 64) -> None:
        super().__init__()
        inner_dim = dim_head * heads
        self.heads = heads
        self.scale = dim_head**-0.5
        self.norm = nn.LayerNorm(dim)
        self.attend = nn.Softmax(dim=-1)
        self.to_qkv = nn.Linear(dim, inner_dim * 3, bias=False)
        self.to_out = nn.Linear(inner_dim, dim)

    def forward(self, x: Float[Tensor, "b n d"]) -> Float[Tensor, "b n d"]:
        x = self.norm(x)
        qkv = self.to_qkv(x).chunk(3, dim=-1)
        q, k, v = (rearrange(t, "b n (h d) -> b h n d", h=self.heads) for t in qkv)
        dots = torch.matmul(q, k.transpose(-1, -2)) * self.scale
        attn = self.attend(dots)
        out = torch.matmul(attn, v)
        out = rearrange(out, "b h n d -> b n (h d)")
        return self.to_out(out)


class Transformer(nn.Module):
    def __init__(self, dim: int, depth: int, heads: int, dim_head: int, mlp_dim: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.layers = nn.ModuleList([])
        for _ in range(depth):
            attention = Attention(dim, heads=heads, dim_head=dim_head)
            self.layers.append(nn.ModuleList([attention, FeedForward(dim, mlp_dim)]))

    def forward(self, x: Float[Tensor, "b n d"]) -> Float[Tensor, "b n d"]:
        for attn, ff in self.layers:
            x = attn(x) + x
            x = ff(x) + x
        return self.norm(x)


class ViT(nn.Module):
    def __init__(
        self,
        image_size: int,
        patch_size: int,
        num_classes: int,
        dim: int,
        depth: int,
        heads: int,
        mlp_dim: int,
        channels: int = 3,
        dim_head: int = 16,
    ) -> None:
        super().__init__()
        num_patches = (image_size // patch_size) ** 2
        patch_dim = channels * patch_size**2
        self.to_patch_embedding = nn.Sequential(
            Rearrange("b c (h p1) (w p2) -> b (h w) (p1 p2 c)", p1=patch_size, p2=patch_size),
            nn.LayerNorm(patch_dim),
            nn.Linear(patch_dim, dim),
            nn.LayerNorm(dim),
        )
        self.pos_embedding = nn.Parameter(torch.randn(1, num_patches + 1, dim))
        self.cls_token = nn.Parameter(torch.randn(1, 1, dim))
        self.dropout = nn.Dropout(0.1)
        self.transformer = Transformer(dim, depth, heads, dim_head, mlp_dim)
        self.mlp_head = nn.Linear(dim, num_classes)

    def forward(self, img: Float[Tensor, "b c h w"]) -> Float[Tensor, "b classes"]:
        x = self.to_patch_embedding(img)
        b, n, _ = x.shape
        cls_tokens = repeat(self.cls_token, "1 1 d -> b 1 d", b=b)
        x = torch.cat((cls_tokens, x), dim=1)
        x = x + self.pos_embedding[:, : n + 1]
        x = self.dropout(x)
        x = self.transformer(x)
        return self.mlp_head(x[:, 0])


def accuracy(logits: Float[Tensor, "n classes"], labels: Int[Tensor, "n"]) -> float:
    predicted = logits.argmax(dim=-1)
    return (predicted == labels).float().mean().item()


def mixup(
    images: Float[Tensor, "b c h w"], targets: Float[Tensor, "b classes"], alpha: float
) -> tuple[Float[Tensor, "b c h w"], Float[Tensor, "b classes"]]:
    weights = torch.distributions.Beta(alpha, alpha).sample((len(images),))
    order = torch.randperm(len(images))
    w = weights.view(-1, 1, 1, 1)
    mixed = w * images + (1 - w) * images[order]
    mixed_targets = weights[:, None] * targets + (1 - weights[:, None]) * targets[order]
    return mixed, mixed_targets


def train_step(
    model: ViT,
    optimizer: torch.optim.Optimizer,
    images: Float[Tensor, "b c h w"],
    labels: Int[Tensor, "b"],
    num_classes: int,
) -> float:
    targets = F.one_hot(labels, num_classes).float()
    mixed, soft = mixup(images, targets, 0.4)
    log_probs = F.log_softmax(model(mixed), dim=-1)
    loss = -(soft * log_probs).sum(dim=-1).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


def main() -> None:
    torch.manual_seed(0)
    model = ViT(image_size=28, patch_size=7, num_classes=11, dim=30, depth=2, heads=5, mlp_dim=44)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    images = torch.randn(13, 3, 28, 28)
    labels = torch.randint(0, 11, (13,))
    for epoch in range(5):
        model.train()
        loss = train_step(model, optimizer, images, labels, 11)
        model.eval()
        with torch.no_grad():
            score = accuracy(model(images), labels)
        print(f"epoch {epoch}: loss {loss:.3f}, accuracy {score:.2f}")


if __name__ == "__main__":
    main()
