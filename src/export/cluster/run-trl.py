"""Trains the exported run with TRL. Requirements: `pip install "trl[peft]" pyarrow`.

    python run-trl.py --out trained [--steps 5] [--model path-or-name]

At its end it saves the trained adapter or model, which Marble evaluates.

The settings are in trl-settings.json under TRL's names. lost-fields.md lists those without a counterpart.
"""

import argparse
import os
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, FOLDER)

import check
import reward


def rows_of(name, tokenizer):
    import pyarrow.parquet as parquet
    from datasets import Dataset

    rows = parquet.read_table(os.path.join(FOLDER, name)).to_pylist()
    return Dataset.from_list(
        [
            {
                "prompt": check.without_own_start(tokenizer, row["prompt"][0]["content"]),
                "item": row["extra_info"]["item"],
            }
            for row in rows
        ]
    )


def model_of(run, named):
    import torch
    from transformers import AutoModelForCausalLM

    path = named or run["model"]["path"]
    if path == "model":
        path = os.path.join(FOLDER, "model")
    revision = {"revision": run["model"]["revision"]} if run["model"]["revision"] and not named else {}
    return AutoModelForCausalLM.from_pretrained(path, dtype=torch.float32, **revision)


def asked_of(words):
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--out", default="trained", help="where checkpoints and the trained weights go")
    asked.add_argument("--steps", type=int, help="batches of rollouts; the run's own number where left out")
    asked.add_argument("--model", help="a folder or a name in place of the run's own model")
    return asked.parse_args(words)


def trainer_of(asked):
    """Creates the trainer of the run."""
    import torch
    from transformers import AutoTokenizer
    from trl import GRPOConfig, GRPOTrainer, RLOOConfig, RLOOTrainer

    run = check.read_json("trl-settings.json")
    tokenizer = AutoTokenizer.from_pretrained(os.path.join(FOLDER, "tokenizer"), padding_side="left")
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    faults = check.faults_of_tokenizer(tokenizer, check.read_json("first-prompts.json"))
    if faults:
        sys.exit("\n".join(["The tokenizer encodes the prompts differently from Marble:", *faults[:3]]))

    settings = dict(run["settings"])
    if asked.steps is not None:
        settings["max_steps"] = asked.steps * run["updatesPerStep"]
    config, trainer = {"GRPO": (GRPOConfig, GRPOTrainer), "RLOO": (RLOOConfig, RLOOTrainer)}[run["trainer"]]
    arguments = config(
        output_dir=asked.out,
        report_to="none",
        bf16=False,
        use_cpu=not torch.cuda.is_available(),
        gradient_checkpointing=run["model"]["path"] != "model",
        save_strategy="steps",
        **settings,
    )
    model, peft_config = model_of(run, asked.model), None
    if run["lora"] is not None and run["lora"]["adapter"]:
        from peft import PeftModel

        model = PeftModel.from_pretrained(model, os.path.join(FOLDER, "adapter"), is_trainable=True)
    elif run["lora"] is not None:
        from peft import LoraConfig

        peft_config = LoraConfig(
            r=run["lora"]["rank"],
            lora_alpha=run["lora"]["alpha"],
            lora_dropout=0.0,
            target_modules="all-linear",
            task_type="CAUSAL_LM",
        )
    return trainer(
        model=model,
        args=arguments,
        reward_funcs=reward.marble_reward,
        train_dataset=rows_of("train.parquet", tokenizer),
        processing_class=tokenizer,
        peft_config=peft_config,
    )


def main():
    asked = asked_of(sys.argv[1:])
    work = trainer_of(asked)
    work.train()
    work.save_model(asked.out)
    if work.accelerator.is_main_process:
        option = "--model" if check.read_json("trl-settings.json")["lora"] is None else "--adapter"
        link = os.path.join(FOLDER, "link.txt")
        print(f'To evaluate it in Marble: npx marble-rl evaluate "$(cat {link})" {option} {asked.out}')


if __name__ == "__main__":
    main()
