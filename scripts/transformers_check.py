"""Holds what `transformers-check.ts` wrote against transformers and PEFT on PyTorch in f32: logits as loaded, after an update
in full and with the adapter; log-probabilities and entropies; every gradient. Prints the largest differences of each model and
ends with status 1 where one is too large."""

import json
import math
import sys
from pathlib import Path

import torch
from peft import PeftModel
from transformers import AutoModelForCausalLM


def load(folder):
    return AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager")


def logits_of(model, found):
    with torch.no_grad():
        return [model(torch.tensor([ids])).logits[0] for ids in found["sequences"]]


def statistics_of(model, found):
    """The objective, and log-probabilities and entropies of the response tokens, one tensor per sequence."""
    objective, logprobs, entropies = 0, [], []
    for index, (ids, prompt) in enumerate(zip(found["sequences"], found["promptLengths"])):
        log_p = torch.log_softmax(model(torch.tensor([ids])).logits[0] / found["temperature"], -1)
        own = log_p[:-1].gather(1, torch.tensor(ids)[1:, None])[prompt - 1 :, 0]
        weights = torch.tensor([math.sin(1 + index + 2 * t) for t in range(len(own))])
        objective = objective + (weights * own).sum()
        logprobs.append(own.detach())
        entropies.append(-(log_p.exp() * log_p).sum(-1)[prompt - 1 : -1].detach())
    return objective, logprobs, entropies


def apart(theirs, ours):
    pairs = zip(theirs, ours, strict=True)
    return max((t.flatten().double() - torch.tensor(o).double()).abs().max().item() for t, o in pairs)


def gradients_apart(parameters, ours):
    """Largest difference of a gradient, as a share of its norm."""
    if set(parameters) != set(ours):
        raise SystemExit(f"other parameters: {set(parameters) ^ set(ours)}")
    shares = [
        (parameters[name].grad.flatten() - torch.tensor(values)).norm() / parameters[name].grad.norm()
        for name, values in ours.items()
    ]
    return max(shares).item()


def check(folder):
    found = json.loads((folder / "found.json").read_text())
    base = load(folder)
    statistics_of(base, found)[0].backward()
    adapted = PeftModel.from_pretrained(load(folder), folder / "adapter", is_trainable=True)
    objective, logprobs, entropies = statistics_of(adapted, found)
    objective.backward()
    trainable = {name.replace(".default", ""): p for name, p in adapted.named_parameters() if p.requires_grad}
    return {
        "logits": apart(logits_of(base, found), found["logits"]),
        "logits, trained": apart(logits_of(load(folder / "trained"), found), found["trained"]),
        "logits, adapter": apart(logits_of(adapted, found), found["adapted"]),
        "log-probabilities": apart(logprobs, found["logprobs"]),
        "entropies": apart(entropies, found["entropies"]),
        "gradients": gradients_apart(dict(base.named_parameters()), found["gradients"]),
        "adapter's gradients": gradients_apart(trainable, found["adapterGradients"]),
    }


def main():
    failed = False
    for folder in sorted(path.parent for path in Path(sys.argv[1]).glob("*/found.json")):
        differences = check(folder)
        failed = failed or any(not value < 5e-4 for value in differences.values())
        print(folder.name, ", ".join(f"{name} {value:.1e}" for name, value in differences.items()), flush=True)
    sys.exit(1 if failed else 0)


main()
