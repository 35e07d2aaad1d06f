# SPDX-License-Identifier: Apache-2.0
"""One PPO update: a rollout in a made-up environment, advantages, clipped minibatch steps."""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.distributions import Categorical


class Rollout(NamedTuple):
    obs: Float[Tensor, "t n obs"]
    actions: Int[Tensor, "t n"]
    log_probs: Float[Tensor, "t n"]
    rewards: Float[Tensor, "t n"]
    dones: Bool[Tensor, "t n"]
    values: Float[Tensor, "t n"]


class Agent(nn.Module):
    def __init__(self, obs_dim: int, n_actions: int, hidden: int = 32) -> None:
        super().__init__()
        self.critic = nn.Sequential(
            nn.Linear(obs_dim, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh()
        )
        self.value_head = nn.Linear(hidden, 1)
        self.actor = nn.Sequential(
            nn.Linear(obs_dim, hidden), nn.Tanh(), nn.Linear(hidden, n_actions)
        )

    def get_value(self, obs: Float[Tensor, "b obs"]) -> Float[Tensor, "b"]:
        return self.value_head(self.critic(obs)).squeeze(-1)

    def act(self, obs: Float[Tensor, "b obs"]) -> tuple[Int[Tensor, "b"], Float[Tensor, "b"]]:
        dist = Categorical(logits=self.actor(obs))
        action = dist.sample()
        return action, dist.log_prob(action)

    def evaluate(
        self, obs: Float[Tensor, "b obs"], actions: Int[Tensor, "b"]
    ) -> tuple[Float[Tensor, "b"], Float[Tensor, "b"], Float[Tensor, "b"]]:
        dist = Categorical(logits=self.actor(obs))
        return dist.log_prob(actions), dist.entropy(), self.get_value(obs)


class Chain:
    """Points that drift; an action pushes a point along one of its coordinates."""

    def __init__(self, n_envs: int, obs_dim: int) -> None:
        self.state = torch.zeros(n_envs, obs_dim)
        self.obs_dim = obs_dim

    def step(
        self, action: Int[Tensor, "n"]
    ) -> tuple[Float[Tensor, "n obs"], Float[Tensor, "n"], Bool[Tensor, "n"]]:
        push = torch.nn.functional.one_hot(action, self.obs_dim).float()
        self.state = 0.9 * self.state + push + 0.1 * torch.randn_like(self.state)
        distance = self.state.norm(dim=-1)
        done = distance > 4.0
        self.state = torch.where(done[:, None], torch.zeros_like(self.state), self.state)
        return self.state, -distance, done


@torch.no_grad()
def collect(
    env: Chain, agent: Agent, first: Float[Tensor, "n obs"], steps: int
) -> tuple[Rollout, Float[Tensor, "n obs"]]:
    obs = first
    observations, actions, log_probs, rewards, dones, values = [], [], [], [], [], []
    for _ in range(steps):
        action, log_prob = agent.act(obs)
        observations.append(obs)
        values.append(agent.get_value(obs))
        obs, reward, done = env.step(action)
        actions.append(action)
        log_probs.append(log_prob)
        rewards.append(reward)
        dones.append(done)
    rollout = Rollout(
        torch.stack(observations),
        torch.stack(actions),
        torch.stack(log_probs),
        torch.stack(rewards),
        torch.stack(dones),
        torch.stack(values),
    )
    return rollout, obs


def compute_gae(
    rewards: Float[Tensor, "t n"],
    values: Float[Tensor, "t n"],
    dones: Bool[Tensor, "t n"],
    last_value: Float[Tensor, "n"],
    gamma: float = 0.99,
    lam: float = 0.95,
) -> tuple[Float[Tensor, "t n"], Float[Tensor, "t n"]]:
    advantages = torch.zeros_like(rewards)
    last_gae = torch.zeros_like(last_value)
    not_done = 1.0 - dones.float()
    for t in reversed(range(len(rewards))):
        next_value = last_value if t == len(rewards) - 1 else values[t + 1]
        delta = rewards[t] + gamma * next_value * not_done[t] - values[t]
        last_gae = delta + gamma * lam * not_done[t] * last_gae
        advantages[t] = last_gae
    return advantages, advantages + values


def update(
    agent: Agent,
    optimizer: torch.optim.Optimizer,
    rollout: Rollout,
    advantages: Float[Tensor, "t n"],
    returns: Float[Tensor, "t n"],
    minibatch: int = 35,
    clip: float = 0.2,
) -> float:
    b_obs = rollout.obs.flatten(0, 1)
    b_actions = rollout.actions.reshape(-1)
    b_log_probs = rollout.log_probs.reshape(-1)
    b_advantages = advantages.reshape(-1)
    b_returns = returns.reshape(-1)
    order = torch.randperm(len(b_obs))
    total = 0.0
    for index in order.split(minibatch):
        log_prob, entropy, value = agent.evaluate(b_obs[index], b_actions[index])
        ratio = (log_prob - b_log_probs[index]).exp()
        adv = b_advantages[index]
        adv = (adv - adv.mean()) / (adv.std() + 1e-8)
        pg_loss = torch.max(-adv * ratio, -adv * ratio.clamp(1 - clip, 1 + clip)).mean()
        v_loss = 0.5 * (value - b_returns[index]).pow(2).mean()
        loss = pg_loss + 0.5 * v_loss - 0.01 * entropy.mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
        optimizer.step()
        total += loss.item()
    return total


def main() -> None:
    torch.manual_seed(0)
    env = Chain(n_envs=7, obs_dim=5)
    agent = Agent(obs_dim=5, n_actions=3)
    optimizer = torch.optim.Adam(agent.parameters(), lr=2.5e-4)
    obs = torch.zeros(7, 5)
    for iteration in range(3):
        rollout, obs = collect(env, agent, obs, steps=20)
        last_value = agent.get_value(obs).detach()
        advantages, returns = compute_gae(
            rollout.rewards, rollout.values, rollout.dones, last_value
        )
        loss = update(agent, optimizer, rollout, advantages, returns)
        reward = rollout.rewards.mean().item()
        print(f"iteration {iteration}: loss {loss:.3f}, reward {reward:.3f}")


if __name__ == "__main__":
    main()
