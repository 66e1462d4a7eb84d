"""Trains the exported run with TRL. `pip install trl peft pyarrow` brings what it needs.

    python run-trl.py --out trained [--steps 5] [--model path-or-name] [--evaluate 100]

The settings stand in trl-settings.json under TRL's own names; what they cannot say stands in lost-fields.md.
"""

import argparse
import json
import os
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, FOLDER)


def rows_of(name, tokenizer, without_own_start):
    import pyarrow.parquet as parquet
    from datasets import Dataset

    rows = parquet.read_table(os.path.join(FOLDER, name)).to_pylist()
    return Dataset.from_list(
        [
            {
                "prompt": without_own_start(tokenizer, row["prompt"][0]["content"]),
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
    asked.add_argument("--out", default="trained", help="where checkpoints and trainer_state.json go")
    asked.add_argument("--steps", type=int, help="batches of rollouts; the run's own number where left out")
    asked.add_argument("--model", help="a folder or a name in place of the run's own model")
    asked.add_argument("--evaluate", type=int, default=0, help="items of val.parquet to evaluate on; none where left out")
    return asked.parse_args(words)


def trainer_of(asked):
    """The trainer of the run, ready to train."""
    import check
    import reward
    import torch
    from transformers import AutoTokenizer
    from trl import GRPOConfig, GRPOTrainer, RLOOConfig, RLOOTrainer

    run = check.read_json("trl-settings.json")
    tokenizer = AutoTokenizer.from_pretrained(os.path.join(FOLDER, "tokenizer"), padding_side="left")
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    faults = check.faults_of_tokenizer(tokenizer, check.read_json("first-prompts.json"))
    if faults:
        sys.exit("\n".join(["The tokenizer reads the prompts otherwise than Marble does:", *faults[:3]]))

    settings = dict(run["settings"])
    if asked.steps is not None:
        settings["max_steps"] = asked.steps * run["updatesPerStep"]
    if asked.evaluate == 0:
        settings.pop("eval_steps")
    else:
        settings["eval_strategy"] = "steps"
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
    judged = None
    if asked.evaluate > 0:
        judged = rows_of("val.parquet", tokenizer, check.without_own_start).select(range(asked.evaluate))
    return trainer(
        model=model,
        args=arguments,
        reward_funcs=reward.marble_reward,
        train_dataset=rows_of("train.parquet", tokenizer, check.without_own_start),
        eval_dataset=judged,
        processing_class=tokenizer,
        peft_config=peft_config,
    )


def main():
    import check

    asked = asked_of(sys.argv[1:])
    work = trainer_of(asked)
    work.train()
    work.save_model(asked.out)
    # The file that Marble opens: the rows of the whole run, under TRL's own names.
    with open(os.path.join(asked.out, "trainer_state.json"), "w", encoding="utf-8") as file:
        link = check.read_json("trl-settings.json")["link"]
        json.dump({"marble_link": link, "log_history": work.state.log_history}, file)


if __name__ == "__main__":
    main()
