"""Does this machine read the export as Marble wrote it? Token ids of the first prompts, and rewards of gold answers.

    python check.py        needs transformers; ends with exit status 1 where something differs
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
    """A prompt without the start token that this tokenizer puts before every text."""
    start = tokenizer.bos_token
    puts_one = bool(start) and tokenizer("")["input_ids"] == [tokenizer.bos_token_id]
    return text[len(start) :] if puts_one and text.startswith(start) else text


def faults_of_tokenizer(tokenizer, prompts):
    """What differs, in words; empty where every prompt has Marble's ids."""
    faults = []
    for index, (text, ids) in enumerate(zip(prompts["texts"], prompts["ids"])):
        found = tokenizer(without_own_start(tokenizer, text))["input_ids"]
        if found != ids:
            faults.append(f"prompt {index}: {len(found)} ids {found[:12]}..., Marble has {len(ids)} {ids[:12]}...")
    return faults


def faults_of_reward(examples):
    faults = []
    for index, example in enumerate(examples):
        evidence = reward.evidence_of(example["completion"], json.loads(example["item"]))
        found = reward.total_of(evidence, reward.SETTINGS)
        if found != example["reward"]:
            faults.append(f"example {index}: reward {found}, Marble has {example['reward']}")
    return faults


def main():
    from transformers import AutoTokenizer

    known = read_json("first-prompts.json")
    faults = faults_of_tokenizer(AutoTokenizer.from_pretrained(os.path.join(FOLDER, "tokenizer")), known)
    faults += faults_of_reward(known["examples"])
    for fault in faults:
        print("differs:", fault)
    print(f"{len(known['ids'])} prompts, {len(known['examples'])} rewards, {len(faults)} differences")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
