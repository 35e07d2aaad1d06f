# SPDX-License-Identifier: Apache-2.0
"""Whole training steps that work, each with the broadcasts its field writes: none is reported."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 - as everybody writes it

from typedtensors.guard import guard

B, T = 6, 8
D, HEADS, CLASSES = 16, 4, 5
LENGTH = 10
PROGRAMS: list[Callable[[], Tensor]] = []


def program(step: Callable[[], Tensor]) -> Callable[[], Tensor]:
    """Collect a step that returns its loss."""
    PROGRAMS.append(step)
    return step


@program
def transformer_with_causal_and_padding_mask() -> Tensor:
    qkv, out, norm = nn.Linear(D, 3 * D), nn.Linear(D, D), nn.LayerNorm(D)
    x = torch.randn(B, T, D) + nn.Parameter(torch.randn(T, D))
    lengths = torch.randint(1, T + 1, (B,))
    padding = torch.arange(T)[None, :] >= lengths[:, None]
    q, k, v = (part.view(B, T, HEADS, -1).transpose(1, 2) for part in qkv(norm(x)).chunk(3, dim=-1))
    scores = q @ k.transpose(-2, -1) / math.sqrt(D // HEADS)
    scores = scores.masked_fill(torch.ones(T, T).triu(1).bool(), -1e4)
    scores = scores.masked_fill(padding[:, None, None, :], -1e4)
    x = x + out((scores.softmax(-1) @ v).transpose(1, 2).reshape(B, T, D))
    keep = (~padding).float()
    per_token = x.pow(2).mean(-1)
    return (per_token * keep).sum() / keep.sum()


@program
def sinusoidal_position_encoding() -> Tensor:
    frequencies = torch.exp(torch.arange(0, D, 2).float() * (-math.log(1e4) / D))
    position = torch.arange(LENGTH, dtype=torch.float).unsqueeze(1)
    encoding = torch.zeros(LENGTH, D)
    encoding[:, 0::2] = torch.sin(position * frequencies)
    position = torch.arange(LENGTH).unsqueeze(1).float()
    encoding[:, 1::2] = torch.cos(position * frequencies)
    return (nn.Parameter(torch.randn(B, LENGTH, D)) + encoding).mean()


@program
def eigenvalues_beside_their_eigenvectors() -> Tensor:
    x = torch.rand(B, B, requires_grad=True)
    values, vectors = torch.linalg.eigh(x @ x.mT)
    values = values.clamp(min=1e-6)
    whitened = (vectors * values.rsqrt()) @ vectors.mT
    found = torch.linalg.eigh(x @ x.mT)
    same = found.eigenvectors * (1 / found[0])
    u, s, vh = torch.linalg.svd(x)
    left, scale, right = torch.svd(x)
    return (whitened + same + (u * s) @ vh + vh.mT.mul(s) + left * scale + right * scale).sum()


@program
def triangular_mask_among_axes_of_equal_size() -> Tensor:
    scores = torch.randn(T, HEADS, T, T, requires_grad=True)
    mask = torch.ones(2 * T, 2 * T).tril().bool()
    cut = mask[:T, :T]
    return scores.masked_fill(~cut, -1e4).softmax(-1).mean() + (scores * cut).mean()


@program
def pairs_of_one_tensor() -> Tensor:
    scores, times = torch.randn(B, requires_grad=True), torch.rand(B)
    wanted = (times.unsqueeze(1) - times).sign()
    return F.relu(1 - wanted * (scores[:, None] - scores)).mean()


@program
def rotary_embedding_and_alibi() -> Tensor:
    q = torch.randn(B, HEADS, T, D, requires_grad=True)
    frequencies = 1.0 / 10000 ** (torch.arange(0, D, 2) / D)
    angles = torch.arange(T)[:, None] * frequencies[None, :]
    cos, sin = angles.cos(), angles.sin()
    even, odd = q[..., ::2], q[..., 1::2]
    rotated = torch.cat([even * cos - odd * sin, even * sin + odd * cos], dim=-1)
    slopes = 2.0 ** -torch.arange(1, HEADS + 1)
    distance = torch.arange(T)[None, :] - torch.arange(T)[:, None]
    bias = slopes[:, None, None] * distance[None]
    return ((rotated @ rotated.mT) + bias).logsumexp(-1).mean()


@program
def scaled_dot_product_with_mask() -> Tensor:
    q = torch.randn(B, HEADS, T, D, requires_grad=True)
    mask = torch.ones(B, 1, 1, T, dtype=torch.bool)
    return F.scaled_dot_product_attention(q, q, q, attn_mask=mask).mean()


@program
def cnn_with_batch_norm_by_hand_and_label_smoothing() -> Tensor:
    convolution, head = nn.Conv2d(3, D, 3, padding=1), nn.Linear(D, CLASSES)
    images = torch.rand(B, 3, T, T)
    images = (images - torch.tensor([0.5, 0.4, 0.3]).view(3, 1, 1)) / 0.2
    x = convolution(images)
    mean, var = x.mean((0, 2, 3), keepdim=True), x.var((0, 2, 3), keepdim=True)
    weight, bias = nn.Parameter(torch.ones(D)), nn.Parameter(torch.zeros(D))
    x = (x - mean) / (var + 1e-5).sqrt() * weight[:, None, None] + bias.view(1, -1, 1, 1)
    gate = x.mean((2, 3), keepdim=True).sigmoid()
    logits = head((x * gate).mean((2, 3)))
    labels = torch.randint(0, CLASSES, (B,))
    smooth = F.one_hot(labels, CLASSES).float() * 0.9 + 0.1 / CLASSES
    accuracy = (logits.argmax(-1) == labels).float().mean()
    return -(smooth * logits.log_softmax(-1)).sum(-1).mean() + 0 * accuracy


@program
def vae_with_reparameterisation() -> Tensor:
    encoder, decoder = nn.Linear(D, 2 * 3), nn.Linear(3, D)
    x = torch.rand(B, D)
    mu, log_var = encoder(x).chunk(2, dim=-1)
    z = mu + (0.5 * log_var).exp() * torch.randn_like(mu)
    nll = F.binary_cross_entropy_with_logits(decoder(z), x, reduction="none").sum(-1)
    kl = -0.5 * (1 + log_var - mu.pow(2) - log_var.exp()).sum(-1)
    return (nll + 0.5 * kl).mean()


@program
def importance_weighted_bound() -> Tensor:
    samples, x = 7, torch.randn(B, D)
    mu = nn.Linear(D, 3)(x)
    q = torch.distributions.Normal(mu, torch.ones(3))
    z = q.rsample((samples,))
    prior = torch.distributions.Normal(torch.zeros(3), torch.ones(3))
    log_w = prior.log_prob(z).sum(-1) - q.log_prob(z).sum(-1)
    return -(log_w.logsumexp(0) - math.log(samples)).mean()


@program
def diffusion_with_noise_schedule_and_time_embedding() -> Tensor:
    betas = torch.linspace(1e-4, 0.02, 100)
    kept = (1 - betas).cumprod(0)
    images, t = torch.randn(B, 3, T, T), torch.randint(0, 100, (B,))
    noise = torch.randn_like(images)
    scale = kept[t].view(-1, 1, 1, 1)
    noisy = scale.sqrt() * images + (1 - scale).sqrt() * noise
    half = torch.exp(-math.log(10000) * torch.arange(D // 2) / (D // 2))
    phases = t.float()[:, None] * half[None, :]
    embedding = nn.Linear(D, 3)(torch.cat([phases.sin(), phases.cos()], -1))
    predicted = nn.Conv2d(3, 3, 3, padding=1)(noisy) + embedding[:, :, None, None]
    weight = (kept[t] / (1 - kept[t])).clamp(max=5)
    per_sample = F.mse_loss(predicted, noise, reduction="none").mean((1, 2, 3))
    return (weight * per_sample).mean()


@program
def recurrent_model_with_packed_lengths() -> Tensor:
    embed, rnn, head = nn.Embedding(20, D), nn.LSTM(D, D, batch_first=True), nn.Linear(D, 20)
    tokens, lengths = torch.randint(1, 20, (B, T)), torch.randint(2, T + 1, (B,))
    packed = nn.utils.rnn.pack_padded_sequence(
        embed(tokens), lengths, batch_first=True, enforce_sorted=False
    )
    hidden, _ = nn.utils.rnn.pad_packed_sequence(rnn(packed)[0], batch_first=True, total_length=T)
    mask = torch.arange(T).unsqueeze(0) < lengths.unsqueeze(1)
    loss = F.cross_entropy(head(hidden).transpose(1, 2), tokens, reduction="none")
    pooled = (hidden * mask.unsqueeze(-1)).sum(1) / lengths.unsqueeze(-1)
    return (loss * mask).sum() / mask.sum() + pooled.square().mean()


@program
def additive_attention_of_a_decoder() -> Tensor:
    query, memory = nn.Linear(D, D), nn.Linear(D, D)
    keys, state = torch.randn(B, T, D), torch.randn(B, D)
    energy = nn.Linear(D, 1)(torch.tanh(memory(keys) + query(state).unsqueeze(1))).squeeze(-1)
    return (energy.softmax(-1).unsqueeze(-1) * keys).sum(1).square().mean()


@program
def contrastive_loss_with_temperature() -> Tensor:
    scale = nn.Parameter(torch.tensor(2.0))
    a, b = torch.randn(B, D, requires_grad=True), torch.randn(B, D)
    a, b = a / a.norm(dim=-1, keepdim=True), b / b.norm(dim=-1, keepdim=True)
    logits = scale.exp() * a @ b.T
    labels = torch.arange(B)
    return (F.cross_entropy(logits, labels) + F.cross_entropy(logits.T, labels)) / 2


@program
def supervised_contrastive_loss_over_pairs() -> Tensor:
    features, labels = torch.randn(B, D, requires_grad=True), torch.randint(0, 3, (B,))
    same = labels[:, None] == labels[None, :]
    squared = features.square().sum(1)
    distance = squared[:, None] + squared[None, :] - 2 * features @ features.T
    eye = torch.eye(B, dtype=torch.bool)
    positives = torch.where(same & ~eye, distance, torch.zeros(()))
    return positives.sum() / (same & ~eye).sum().clamp(min=1)


@program
def policy_gradient_with_clipping_and_value_loss() -> Tensor:
    body, actor, critic = nn.Linear(D, D), nn.Linear(D, CLASSES), nn.Linear(D, 1)
    observations, actions = torch.randn(B, D), torch.randint(0, CLASSES, (B,))
    returns, old = torch.randn(B), torch.randn(B)
    hidden = body(observations).tanh()
    values = critic(hidden).squeeze(-1)
    policy = torch.distributions.Categorical(logits=actor(hidden))
    advantage = returns - values.detach()
    advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
    ratio = (policy.log_prob(actions) - old).exp()
    clipped = torch.min(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage)
    return F.mse_loss(values, returns) - clipped.mean() - 0.01 * policy.entropy().mean()


@program
def q_learning_with_importance_weights() -> Tensor:
    net, target = nn.Linear(D, CLASSES), nn.Linear(D, CLASSES)
    states, rewards, done = torch.randn(B, D), torch.randn(B, 1), torch.zeros(B, 1)
    actions, weights = torch.randint(0, CLASSES, (B, 1)), torch.rand(B, 1)
    best = target(states).max(dim=1, keepdim=True).values
    chosen = net(states).gather(1, actions)
    return (
        weights * F.smooth_l1_loss(chosen, rewards + (1 - done) * best, reduction="none")
    ).mean()


@program
def gan_with_gradient_penalty() -> Tensor:
    critic = nn.Sequential(nn.Flatten(), nn.Linear(T * T, D), nn.LeakyReLU(), nn.Linear(D, 1))
    real, fake = torch.randn(B, 1, T, T), torch.randn(B, 1, T, T)
    mix = torch.rand(B, 1, 1, 1)
    between = (mix * real + (1 - mix) * fake).requires_grad_()
    (slope,) = torch.autograd.grad(critic(between).sum(), between, create_graph=True)
    penalty = (slope.flatten(1).norm(dim=1) - 1).square().mean()
    smooth = F.binary_cross_entropy_with_logits(critic(real), torch.full((B, 1), 0.9))
    return critic(fake).mean() - critic(real).mean() + 10 * penalty + smooth


@program
def graph_network_with_scatter() -> Tensor:
    nodes, source, target = (
        torch.randn(B, D),
        torch.randint(0, B, (20,)),
        torch.randint(0, B, (20,)),
    )
    messages = nn.Linear(2 * D, D)(torch.cat([nodes[source], nodes[target]], -1))
    gate = nn.Linear(D, 1)(messages).sigmoid()
    total = torch.zeros(B, D).index_add(0, target, gate * messages)
    degree = torch.zeros(B).index_add(0, target, torch.ones(20)).clamp(min=1)
    return (nodes + total / degree.unsqueeze(-1)).square().mean()


@program
def box_overlap_of_a_detector() -> Tensor:
    corner = torch.rand(B, 2)
    size = nn.Parameter(torch.rand(B, 2))
    boxes, truth = torch.cat([corner, corner + size], 1), torch.rand(3, 4).sort(-1).values
    low = torch.max(boxes[:, None, :2], truth[None, :, :2])
    high = torch.min(boxes[:, None, 2:], truth[None, :, 2:])
    inner = (high - low).clamp(min=0).prod(-1)
    area = (boxes[:, 2:] - boxes[:, :2]).prod(-1)
    other = (truth[:, 2:] - truth[:, :2]).prod(-1)
    return (inner / (area[:, None] + other - inner)).mean()


@program
def mixture_density_network() -> Tensor:
    net, components = nn.Linear(D, 3 * CLASSES), CLASSES
    x, y = torch.randn(B, D), torch.randn(B, 1)
    weight, mu, spread = net(x).split(components, dim=-1)
    density = torch.distributions.Normal(mu, F.softplus(spread) + 1e-3).log_prob(y)
    return -(weight.log_softmax(-1) + density).logsumexp(-1).mean()


@program
def gaussian_regression_with_one_variance_per_row() -> Tensor:
    mean, var = nn.Linear(D, 3), nn.Linear(D, 1)
    x = torch.randn(B, D)
    return F.gaussian_nll_loss(mean(x), torch.randn(B, 3), F.softplus(var(x)) + 1e-3)


@program
def coupling_flow() -> Tensor:
    net, x = nn.Linear(D // 2, D), torch.randn(B, D)
    first, second = x.chunk(2, -1)
    shift, scale = net(first).chunk(2, -1)
    z = torch.cat([first, second * scale.tanh().exp() + shift], -1)
    prior = -0.5 * (z.square() + math.log(2 * math.pi)).sum(-1)
    return -(prior + scale.tanh().sum(-1)).mean()


@program
def mixup_with_soft_targets() -> Tensor:
    net, x = nn.Linear(D, CLASSES), torch.randn(B, D)
    labels = F.one_hot(torch.randint(0, CLASSES, (B,)), CLASSES).float()
    lam, order = torch.rand(B, 1), torch.randperm(B)
    mixed, soft = lam * x + (1 - lam) * x[order], lam * labels + (1 - lam) * labels[order]
    return F.kl_div(net(mixed).log_softmax(-1), soft, reduction="batchmean")


@program
def vision_transformer_with_class_token_and_layer_scale() -> Tensor:
    patches = nn.Conv2d(3, D, 4, 4)(torch.randn(B, 3, T, T)).flatten(2).transpose(1, 2)
    token = nn.Parameter(torch.zeros(1, 1, D)).expand(B, -1, -1)
    x = torch.cat([token, patches], 1) + nn.Parameter(torch.zeros(1, 5, D))
    x = x + nn.Parameter(torch.full((D,), 0.1)) * nn.Linear(D, D)(x)
    keep = (torch.rand(B, 1, 1) > 0.1).float() / 0.9
    return nn.Linear(D, 1)((x * keep)[:, 0]).squeeze(-1).square().mean()


@program
def vector_quantiser() -> Tensor:
    book, z = nn.Parameter(torch.randn(20, D)), torch.randn(B, T, D, requires_grad=True)
    flat = z.reshape(-1, D)
    distance = flat.pow(2).sum(1, keepdim=True) - 2 * flat @ book.T + book.pow(2).sum(1)
    quantised = book[distance.argmin(1)].view_as(z)
    loss = F.mse_loss(quantised, z.detach()) + 0.25 * F.mse_loss(z, quantised.detach())
    return loss + (z + (quantised - z).detach()).square().mean()


@program
def physics_informed_residual() -> Tensor:
    net = nn.Sequential(nn.Linear(2, D), nn.Tanh(), nn.Linear(D, 1))
    x, t = torch.rand(B, 1, requires_grad=True), torch.rand(B, 1, requires_grad=True)
    u = net(torch.cat([x, t], 1))
    (u_x,) = torch.autograd.grad(u.sum(), x, create_graph=True)
    (u_t,) = torch.autograd.grad(u.sum(), t, create_graph=True)
    return (u_t + u * u_x).square().mean()


@program
def several_samples_of_a_categorical_and_a_mixture() -> Tensor:
    logits, means = torch.randn(B, CLASSES, requires_grad=True), torch.randn(B, CLASSES)
    policy = torch.distributions.Categorical(logits=logits)
    mixture = torch.distributions.MixtureSameFamily(
        policy, torch.distributions.Normal(means, torch.ones(B, CLASSES))
    )
    return (
        policy.log_prob(policy.sample((7,))).mean() + mixture.log_prob(mixture.sample((7,))).mean()
    )


@program
def weights_that_are_computed_on_the_way_for_as_many_rows_as_columns() -> Tensor:
    weight, scale = nn.Parameter(torch.zeros(B)), nn.Parameter(torch.zeros(B))
    x = torch.randn(B, B)
    normed = x * torch.rsqrt(x.square().mean(-1, keepdim=True)) * (1.0 + weight.double())
    return (normed + torch.exp(-scale) * x).mean()


@program
def multi_label_loss_with_as_many_labels_as_rows() -> Tensor:
    logits = torch.randn(B, B, requires_grad=True)
    targets = torch.rand(B, B)
    weighted = nn.BCEWithLogitsLoss(pos_weight=torch.rand(B))(logits, targets)
    return weighted + nn.MultiLabelSoftMarginLoss(weight=torch.rand(B))(logits, targets)


@pytest.mark.parametrize("step", PROGRAMS, ids=lambda step: step.__name__)
def test_training_step_is_silent(step: Callable[[], Tensor]) -> None:
    torch.manual_seed(0)
    with guard() as report:
        step().backward()
    assert report.events == []


def test_optimizers_clipping_and_schedules_are_silent() -> None:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(D, D), nn.BatchNorm1d(D), nn.GELU(), nn.Linear(D, 1))
    for kind in (torch.optim.SGD, torch.optim.AdamW, torch.optim.RMSprop, torch.optim.LBFGS):
        optimizer = kind(net.parameters(), lr=1e-3)
        with guard() as report:

            def closure(optimizer: torch.optim.Optimizer = optimizer) -> Tensor:
                optimizer.zero_grad()
                loss = (net(torch.randn(B, D)) - torch.randn(B, 1)).square().mean()
                loss.backward()
                return loss

            closure()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step(closure)
        assert report.events == []
