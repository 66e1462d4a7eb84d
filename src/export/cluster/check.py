"""Checks that this machine agrees with Marble on the token ids of the first prompts and the rewards of gold answers.

    python check.py        requires transformers; exits with status 1 if something differs
"""

import json
import os
import sys

import reward

FOLDER = os.path.dirname(os.path.abspath(__file__))


def read_json(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return json.load(file)


def without_own_start(tokenizer, text):
    """Removes the start token that this tokenizer prepends to every text."""
    start = tokenizer.bos_token
    puts_one = bool(start) and tokenizer("")["input_ids"] == [tokenizer.bos_token_id]
    return text[len(start) :] if puts_one and text.startswith(start) else text


def faults_of_tokenizer(tokenizer, prompts):
    """Describes each prompt whose token ids differ from Marble's."""
    faults = []
    for index, (text, ids) in enumerate(zip(prompts["texts"], prompts["ids"])):
        actual = tokenizer(without_own_start(tokenizer, text))["input_ids"]
        if actual != ids:
            faults.append(f"prompt {index}: {len(actual)} ids {actual[:12]}..., Marble has {len(ids)} {ids[:12]}...")
    return faults


def faults_of_reward(examples):
    faults = []
    for index, example in enumerate(examples):
        evidence = reward.evidence_of(example["completion"], json.loads(example["item"]))
        actual = reward.total_of(evidence, reward.SETTINGS)
        if actual != example["reward"]:
            faults.append(f"example {index}: reward {actual}, Marble has {example['reward']}")
    return faults


def main():
    from transformers import AutoTokenizer

    expected = read_json("first-prompts.json")
    faults = faults_of_tokenizer(AutoTokenizer.from_pretrained(os.path.join(FOLDER, "tokenizer")), expected)
    faults += faults_of_reward(expected["examples"])
    for fault in faults:
        print("differs:", fault)
    print(f"{len(expected['ids'])} prompts, {len(expected['examples'])} rewards, {len(faults)} differences")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
