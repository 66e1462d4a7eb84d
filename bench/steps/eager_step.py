"""The same steps in PyTorch's eager mode on one thread: the other side of cpu-step.ts, which writes the batches.

    python bench/steps/eager_step.py --batches batches.json [--warm-up 3]

Of every step: the responses are sampled with a cache of keys and values that stands from the start, rows that have ended
leave the batch as ours do, and each drawn token is replaced by the recorded one, so that all lengths are the same. Then
the log-probabilities under the reference, one forward and one backward pass over all sequences, padded on the right, with
the loss of REINFORCE++ with the KL in the loss' place, clipping and AdamW. Left out, to PyTorch's advantage: reading
tokens as text, scoring, and the look at single tokens after the update. Attention, norms and activations are PyTorch's
own functions. Prints one JSON line.
"""

import argparse
import json
import math
import resource
import struct
import sys
from pathlib import Path

import torch
import torch.nn.functional as F

torch.set_num_threads(1)
torch.set_num_interop_threads(1)


def read_weights(file):
    """A safetensors file of float32 tensors."""
    data = Path(file).read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + size])
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        start, end = entry["data_offsets"]
        if entry["dtype"] != "F32":
            sys.exit(f"{name} is {entry['dtype']}: this program reads float32 only.")
        raw = bytearray(data[8 + size + start : 8 + size + end])
        tensors[name] = torch.frombuffer(raw, dtype=torch.float32).reshape(entry["shape"]).clone()
    return tensors


class Model:
    def __init__(self, folder):
        self.config = json.loads((Path(folder) / "config.json").read_text())
        self.weights = read_weights(Path(folder) / "model.safetensors")
        c = self.config
        self.layers, self.heads, self.kv = c["num_hidden_layers"], c["num_attention_heads"], c["num_key_value_heads"]
        self.dim = c.get("head_dim") or c["hidden_size"] // self.heads
        angles = torch.arange(512)[:, None] * c["rope_theta"] ** (-torch.arange(0, self.dim, 2) / self.dim)
        self.cos, self.sin = angles.cos().repeat(1, 2), angles.sin().repeat(1, 2)

    def copy(self):
        other = object.__new__(Model)
        other.__dict__.update(self.__dict__)
        other.weights = {name: w.detach().clone() for name, w in self.weights.items()}
        return other

    def rotate(self, x, positions):
        """@ x [batch, heads, T, dim], positions [batch, T]"""
        first, second = x.chunk(2, -1)
        turned = torch.cat((-second, first), -1)
        return x * self.cos[positions][:, None] + turned * self.sin[positions][:, None]

    def norm(self, x, name):
        return F.rms_norm(x, (x.shape[-1],), self.weights[name], self.config["rms_norm_eps"])

    def linear(self, x, name):
        return F.linear(x, self.weights[f"{name}.weight"], self.weights.get(f"{name}.bias"))

    def hidden(self, ids, positions, cache=None, at=None, mask=None):
        """@ ids [batch, T]; with a cache, the tokens are put into it from column `at` on."""
        w = self.weights
        x = F.embedding(ids, w["model.embed_tokens.weight"])
        batch, length = ids.shape
        split = lambda y, heads: y.view(batch, length, heads, self.dim).transpose(1, 2)
        for i in range(self.layers):
            name = f"model.layers.{i}"
            h = self.norm(x, f"{name}.input_layernorm.weight")
            q = self.rotate(split(self.linear(h, f"{name}.self_attn.q_proj"), self.heads), positions)
            k = self.rotate(split(self.linear(h, f"{name}.self_attn.k_proj"), self.kv), positions)
            v = split(self.linear(h, f"{name}.self_attn.v_proj"), self.kv)
            if cache is not None:
                keys, values = cache[i]
                keys[:, :, at : at + length], values[:, :, at : at + length] = k, v
                k, v = keys[:, :, : at + length], values[:, :, : at + length]
            causal = mask is None
            mixed = F.scaled_dot_product_attention(
                q, k, v, attn_mask=mask, is_causal=causal, enable_gqa=self.kv != self.heads
            )
            mixed = mixed.transpose(1, 2).reshape(batch, length, -1)
            x = x + self.linear(mixed, f"{name}.self_attn.o_proj")
            h = self.norm(x, f"{name}.post_attention_layernorm.weight")
            gate = F.silu(self.linear(h, f"{name}.mlp.gate_proj")) * self.linear(h, f"{name}.mlp.up_proj")
            x = x + self.linear(gate, f"{name}.mlp.down_proj")
        return x

    def logits(self, x):
        head = self.weights.get("lm_head.weight", self.weights["model.embed_tokens.weight"])
        return F.linear(self.norm(x, "model.norm.weight"), head)


def pad(rows):
    longest = max(map(len, rows))
    return torch.tensor([row + [0] * (longest - len(row)) for row in rows])


@torch.no_grad()
def sample(model, prompts, samples, responses, temperature):
    """Draws as long as the recorded responses last; they are what goes on."""
    ids = pad(prompts)
    count, longest = ids.shape
    most = max(map(len, responses))
    lengths = torch.tensor([len(prompt) for prompt in prompts])
    new = lambda rows: torch.zeros(rows, model.kv, longest + most, model.dim)
    cache = [(new(count), new(count)) for _ in range(model.layers)]
    positions = torch.arange(longest).expand(count, -1)
    causal = torch.ones(longest, longest, dtype=torch.bool).tril()
    x = model.hidden(ids, positions, cache, 0, causal)
    x = x[torch.arange(count), lengths - 1].repeat_interleave(samples, 0)
    cache = [(k.repeat_interleave(samples, 0), v.repeat_interleave(samples, 0)) for k, v in cache]
    starts = lengths.repeat_interleave(samples)
    seen = torch.ones(len(responses), longest + most, dtype=torch.bool)
    seen[:, :longest] = torch.arange(longest) < starts[:, None]
    alive = list(range(len(responses)))
    for position in range(most):
        p = torch.log_softmax(model.logits(x) / temperature, -1)
        drawn = torch.multinomial(p.exp(), 1)[:, 0]
        p.gather(1, drawn[:, None]).tolist()
        kept = [row for row, i in enumerate(alive) if len(responses[i]) > position + 1]
        if not kept:
            break
        recorded = [responses[i][position] if len(responses[i]) > position else 1 for i in alive]
        newest = torch.tensor(recorded)
        if len(kept) <= 0.75 * len(alive):
            rows = torch.tensor(kept)
            cache = [(k[rows], v[rows]) for k, v in cache]
            newest, starts, seen = newest[rows], starts[rows], seen[rows]
            alive = [alive[row] for row in kept]
        mask = seen[:, None, None, : longest + position + 1]
        x = model.hidden(newest[:, None], (starts + position)[:, None], cache, longest + position, mask)[:, 0]


def token_logprobs(model, ids, picked, temperature):
    """@ returns log p of the picked tokens and the entropy there"""
    rows, columns = picked
    x = model.hidden(ids[:, :-1], torch.arange(ids.shape[1] - 1).expand(len(ids), -1))
    logp = torch.log_softmax(model.logits(x[rows, columns]) / temperature, -1)
    return logp.gather(1, ids[rows, columns + 1][:, None])[:, 0], -(logp.exp() * logp).sum(-1)


def train_step(model, reference, optimizer, batch, config):
    temperature, most = config["rollout"]["temperature"], config["optimizer"]["maxGradNorm"]
    prompts, samples, responses = batch["prompts"], batch["samples"], batch["responses"]
    sample(model, prompts, samples, responses, temperature)
    sequences = [prompts[i // samples] + response for i, response in enumerate(responses)]
    ids = pad(sequences)
    picked = [
        (i, t)
        for i, response in enumerate(responses)
        for t in range(len(prompts[i // samples]) - 1, len(prompts[i // samples]) - 1 + len(response))
    ]
    picked = tuple(torch.tensor(column) for column in zip(*picked))
    with torch.no_grad():
        ref, _ = token_logprobs(reference, ids, picked, temperature)
    logp, entropy = token_logprobs(model, ids, picked, temperature)
    rewards = torch.tensor([math.sin(i) for i in range(len(responses))])
    advantages = rewards[picked[0]] - 0.001 * (logp.detach() - ref)
    advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
    ratio = (logp - logp.detach()).exp()
    loss = -torch.min(ratio * advantages, ratio.clamp(0.8, 1.2) * advantages).mean()
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.weights.values(), most)
    optimizer.step()
    entropy.mean().item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batches", required=True)
    parser.add_argument("--warm-up", type=int, default=3)
    options = parser.parse_args()
    recorded = json.loads(Path(options.batches).read_text())
    model = Model(recorded["folder"])
    reference = model.copy()
    for weight in model.weights.values():
        weight.requires_grad_()
    o = recorded["config"]["optimizer"]
    optimizer = torch.optim.AdamW(
        model.weights.values(), lr=o["learningRate"], betas=(o["beta1"], o["beta2"]), eps=o["epsilon"],
        weight_decay=o["weightDecay"], foreach=True,
    )
    batches = recorded["batches"]
    for i in range(options.warm_up):
        train_step(model, reference, optimizer, batches[i % len(batches)], recorded["config"])
    cpu = lambda: sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    begun = cpu()
    for batch in batches:
        train_step(model, reference, optimizer, batch, recorded["config"])
    seconds = cpu() - begun
    tokens = sum(len(response) for batch in batches for response in batch["responses"])
    print(json.dumps({
        "by": f"PyTorch {torch.__version__}",
        "steps": len(batches),
        "responseTokens": tokens,
        "cpuMsPerStep": round(1000 * seconds / len(batches), 1),
        "cpuMicrosPerToken": round(1e6 * seconds / tokens, 1),
    }))


main()
