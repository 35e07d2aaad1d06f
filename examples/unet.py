# SPDX-License-Identifier: Apache-2.0
"""A U-Net with time conditioning, trained for a few steps as a denoising diffusion model."""

import math

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn


def timestep_embedding(t: Int[Tensor, "b"], dim: int) -> Float[Tensor, "b dim"]:
    half = dim // 2
    freqs = torch.exp(-math.log(10000) * torch.arange(half) / half)
    args = t[:, None].float() * freqs[None, :]
    embedding = torch.cat([torch.cos(args), torch.sin(args)], dim=-1)
    if dim % 2:
        embedding = F.pad(embedding, (0, 1))
    return embedding


class ResBlock(nn.Module):
    def __init__(self, in_channels: int, out_channels: int, emb_dim: int) -> None:
        super().__init__()
        self.norm1 = nn.GroupNorm(4, in_channels)
        self.conv1 = nn.Conv2d(in_channels, out_channels, 3, padding=1)
        self.emb = nn.Linear(emb_dim, out_channels)
        self.norm2 = nn.GroupNorm(4, out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1)
        if in_channels == out_channels:
            self.skip = nn.Identity()
        else:
            self.skip = nn.Conv2d(in_channels, out_channels, 1)

    def forward(
        self, x: Float[Tensor, "b c_in h w"], emb: Float[Tensor, "b e"]
    ) -> Float[Tensor, "b c_out h w"]:
        h = self.conv1(F.silu(self.norm1(x)))
        h = h + self.emb(F.silu(emb))[:, :, None, None]
        h = self.conv2(F.silu(self.norm2(h)))
        return h + self.skip(x)


class SpatialAttention(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.norm = nn.GroupNorm(4, channels)
        self.qkv = nn.Conv1d(channels, 3 * channels, 1)
        self.proj = nn.Conv1d(channels, channels, 1)

    def forward(self, x: Float[Tensor, "b c h w"]) -> Float[Tensor, "b c h w"]:
        b, c, h, w = x.shape
        q, k, v = self.qkv(self.norm(x).reshape(b, c, h * w)).chunk(3, dim=1)
        weight = torch.einsum("bcq,bck->bqk", q, k) * c**-0.5
        out = torch.einsum("bqk,bck->bcq", weight.softmax(dim=-1), v)
        return x + self.proj(out).reshape(b, c, h, w)


class UNet(nn.Module):
    def __init__(self, in_channels: int = 3, width: int = 16) -> None:
        super().__init__()
        self.width = width
        self.time = nn.Sequential(
            nn.Linear(width, 4 * width), nn.SiLU(), nn.Linear(4 * width, 4 * width)
        )
        self.stem = nn.Conv2d(in_channels, width, 3, padding=1)
        self.down1 = ResBlock(width, width, 4 * width)
        self.pool1 = nn.Conv2d(width, width, 3, stride=2, padding=1)
        self.down2 = ResBlock(width, 2 * width, 4 * width)
        self.pool2 = nn.Conv2d(2 * width, 2 * width, 3, stride=2, padding=1)
        self.middle1 = ResBlock(2 * width, 2 * width, 4 * width)
        self.attention = SpatialAttention(2 * width)
        self.middle2 = ResBlock(2 * width, 2 * width, 4 * width)
        self.up2 = ResBlock(4 * width, 2 * width, 4 * width)
        self.up1 = ResBlock(3 * width, width, 4 * width)
        self.norm = nn.GroupNorm(4, width)
        self.head = nn.Conv2d(width, in_channels, 3, padding=1)

    def forward(self, x: Float[Tensor, "b c h w"], t: Int[Tensor, "b"]) -> Float[Tensor, "b c h w"]:
        emb = self.time(timestep_embedding(t, self.width))
        h1 = self.down1(self.stem(x), emb)
        h2 = self.down2(self.pool1(h1), emb)
        h = self.middle1(self.pool2(h2), emb)
        h = self.attention(h)
        h = self.middle2(h, emb)
        h = F.interpolate(h, size=h2.shape[2:], mode="nearest")
        h = self.up2(torch.cat([h, h2], dim=1), emb)
        h = F.interpolate(h, size=h1.shape[2:], mode="nearest")
        h = self.up1(torch.cat([h, h1], dim=1), emb)
        return self.head(F.silu(self.norm(h)))


class Diffusion:
    def __init__(self, steps: int) -> None:
        self.steps = steps
        self.betas = torch.linspace(1e-4, 0.02, steps)
        self.alphas_bar = torch.cumprod(1.0 - self.betas, dim=0)

    def noisy(
        self, x: Float[Tensor, "b c h w"], t: Int[Tensor, "b"], noise: Float[Tensor, "b c h w"]
    ) -> Float[Tensor, "b c h w"]:
        alpha = self.alphas_bar[t].view(-1, 1, 1, 1)
        return alpha.sqrt() * x + (1 - alpha).sqrt() * noise

    def loss(self, model: UNet, x: Float[Tensor, "b c h w"]) -> Float[Tensor, ""]:
        t = torch.randint(0, self.steps, (x.shape[0],), device=x.device)
        noise = torch.randn_like(x)
        predicted = model(self.noisy(x, t, noise), t)
        per_image = (predicted - noise).pow(2).flatten(1).mean(dim=1)
        weight = 1.0 / (1.0 - self.alphas_bar[t])
        return (weight.clamp(max=5.0) * per_image).mean()

    @torch.no_grad()
    def sample(self, model: UNet, count: int, size: int) -> Float[Tensor, "count 3 size size"]:
        x = torch.randn(count, 3, size, size)
        for step in reversed(range(self.steps)):
            t = torch.full((count,), step)
            alpha = 1.0 - self.betas[step]
            noise = model(x, t)
            x = (x - self.betas[step] / (1 - self.alphas_bar[step]).sqrt() * noise) / alpha.sqrt()
        return x.clamp(-1, 1)


def main() -> None:
    torch.manual_seed(0)
    model = UNet()
    diffusion = Diffusion(steps=10)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-4)
    for step in range(3):
        images = torch.rand(5, 3, 28, 20) * 2 - 1
        loss = diffusion.loss(model, images)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        print(f"step {step}: loss {loss.item():.3f}")
    print(diffusion.sample(model, 2, 12).std().item())


if __name__ == "__main__":
    main()
