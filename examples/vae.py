# SPDX-License-Identifier: Apache-2.0
"""A convolutional variational autoencoder with an importance-weighted bound."""

import math

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn
from torch.distributions import Normal


class Encoder(nn.Module):
    def __init__(self, channels: int, hidden: int, latent: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, hidden, kernel_size=4, stride=2, padding=1)
        self.conv2 = nn.Conv2d(hidden, 2 * hidden, kernel_size=4, stride=2, padding=1)
        self.fc_mu = nn.Linear(2 * hidden * 7 * 7, latent)
        self.fc_logvar = nn.Linear(2 * hidden * 7 * 7, latent)

    def forward(
        self, x: Float[Tensor, "b c 28 28"]
    ) -> tuple[Float[Tensor, "b z"], Float[Tensor, "b z"]]:
        h = F.relu(self.conv1(x))
        h = F.relu(self.conv2(h))
        h = h.flatten(start_dim=1)
        return self.fc_mu(h), self.fc_logvar(h)


class Decoder(nn.Module):
    def __init__(self, channels: int, hidden: int, latent: int) -> None:
        super().__init__()
        self.hidden = hidden
        self.fc = nn.Linear(latent, 2 * hidden * 7 * 7)
        self.deconv1 = nn.ConvTranspose2d(2 * hidden, hidden, kernel_size=4, stride=2, padding=1)
        self.deconv2 = nn.ConvTranspose2d(hidden, channels, kernel_size=4, stride=2, padding=1)

    def forward(self, z: Float[Tensor, "b z"]) -> Float[Tensor, "b c 28 28"]:
        h = F.relu(self.fc(z))
        h = h.view(z.size(0), 2 * self.hidden, 7, 7)
        h = F.relu(self.deconv1(h))
        return self.deconv2(h)


class VAE(nn.Module):
    def __init__(self, channels: int = 1, hidden: int = 12, latent: int = 5) -> None:
        super().__init__()
        self.latent = latent
        self.encoder = Encoder(channels, hidden, latent)
        self.decoder = Decoder(channels, hidden, latent)

    def reparameterize(
        self, mu: Float[Tensor, "b z"], logvar: Float[Tensor, "b z"]
    ) -> Float[Tensor, "b z"]:
        std = torch.exp(0.5 * logvar)
        eps = torch.randn_like(std)
        return mu + eps * std

    def forward(
        self, x: Float[Tensor, "b c 28 28"]
    ) -> tuple[Float[Tensor, "b c 28 28"], Float[Tensor, "b z"], Float[Tensor, "b z"]]:
        mu, logvar = self.encoder(x)
        z = self.reparameterize(mu, logvar)
        return self.decoder(z), mu, logvar

    @torch.no_grad()
    def sample(self, n: int) -> Float[Tensor, "n c 28 28"]:
        z = torch.randn(n, self.latent)
        return torch.sigmoid(self.decoder(z))

    @torch.no_grad()
    def interpolate(
        self, a: Float[Tensor, "c 28 28"], b: Float[Tensor, "c 28 28"], steps: int
    ) -> Float[Tensor, "steps c 28 28"]:
        mu, _ = self.encoder(torch.stack([a, b]))
        weights = torch.linspace(0, 1, steps).unsqueeze(1)
        z = (1 - weights) * mu[0] + weights * mu[1]
        return torch.sigmoid(self.decoder(z))


def elbo_loss(
    logits: Float[Tensor, "b c h w"],
    x: Float[Tensor, "b c h w"],
    mu: Float[Tensor, "b z"],
    logvar: Float[Tensor, "b z"],
    beta: float = 1.0,
) -> Float[Tensor, ""]:
    recon = F.binary_cross_entropy_with_logits(logits, x, reduction="none")
    recon = recon.sum(dim=(1, 2, 3))
    kl = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp(), dim=1)
    return (recon + beta * kl).mean()


@torch.no_grad()
def importance_bound(model: VAE, x: Float[Tensor, "b c 28 28"], samples: int) -> Float[Tensor, "b"]:
    mu, logvar = model.encoder(x)
    std = (0.5 * logvar).exp()
    eps = torch.randn(samples, *mu.shape)
    z = mu + eps * std
    log_prior = Normal(0.0, 1.0).log_prob(z).sum(-1)
    log_posterior = Normal(mu, std).log_prob(z).sum(-1)
    logits = model.decoder(z.flatten(0, 1))
    target = x.expand(samples, *x.shape).reshape(logits.shape)
    log_likelihood = -F.binary_cross_entropy_with_logits(logits, target, reduction="none")
    log_likelihood = log_likelihood.flatten(1).sum(1).view(samples, -1)
    log_weight = log_likelihood + log_prior - log_posterior
    return torch.logsumexp(log_weight, dim=0) - math.log(samples)


def main() -> None:
    torch.manual_seed(0)
    model = VAE()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    data = (torch.rand(64, 1, 28, 28) > 0.7).float()
    for epoch in range(2):
        for batch in data.split(16):
            logits, mu, logvar = model(batch)
            loss = elbo_loss(logits, batch, mu, logvar, beta=0.5)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch}: loss {loss.item():.1f}")
    print("bound", importance_bound(model, data[:6], samples=9).mean().item())
    print(model.sample(3).shape, model.interpolate(data[0], data[1], steps=11).shape)


if __name__ == "__main__":
    main()
