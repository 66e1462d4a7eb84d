/** What people stumble over, said where they look for it. */
import type { ComponentChildren } from 'preact';
import { Formulas } from './formulas/formula';
import { parameterWords } from './embedded-models';

export function Explanations() {
  return (
    <section class="panel explanations" aria-labelledby="explanations">
      <h2 id="explanations">What am I looking at?</h2>
      <Answer question="What is being trained?">
        A toy: a language model of {parameterWords('swap-25k')} parameters that knows 40 words. It reads a
        story in which people swap what lies in two places and leave one after the other, and says where
        somebody thinks that somebody thinks a thing is. It was first taught by examples: some reasoned step
        by step, some gave the answer alone. From there, reinforcement learning (REINFORCE++) pays it for the
        right form and the right answer; only the presets called “faithful” pay for the reasoning itself.
      </Answer>
      <Answer question="How can accuracy rise without any reasoning?">
        In nine of ten of these questions the thing is believed to be where it was after the first event. That
        is a shortcut: it tracks nobody’s belief. A model that finds it is right where the shortcut is right
        and wrong where it is wrong. The accuracy of all questions hides that; the two lines show it.
      </Answer>
      <Answer question="Does it ever learn to reason better?">
        From a start that follows its stories already, yes: choose the preset nano-order-1. That model was
        taught one kind of story until it could follow most of them; the same reward then makes more of its
        answers right and more of its statements true, and its reasoning keeps its length.
      </Answer>
      <Answer question="Is this how large models behave?">
        It is a stylised analogue, no more. The collapse of reasoning under such a reward was reported for
        models of 0.5 to 7 billion parameters on Theory-of-Mind questions. Here the short way of answering was
        put in by the examples on purpose, so that three minutes are enough to see which way wins. Other
        starts end otherwise; docs/results.md lists every run.
      </Answer>
      <Answer question="The loss is 0 at the first step. Is it broken?">
        No. With one update per batch the new model is the old one when the loss is taken, every ratio is 1,
        and the advantages have mean 0, so the loss is about 0. Its gradient is not. Look at the reward
        instead.
      </Answer>
      <Answer question="Every completion is cut off and the reward stays at its lowest. Why?">
        A completion that does not close its tags within the token limit cannot be read and earns the lowest
        reward. If all of them are cut off there is nothing to learn from. Raise “Longest completion”, or
        start from a model that finishes in time: Qwen2.5-0.5B at 256 tokens is a known case.
      </Answer>
      <Answer question="What are groups without variance?">
        Prompts whose samples all earned the same. For algorithms that compare within the group (GRPO, RLOO,
        Dr. GRPO) they teach nothing. REINFORCE++ compares over the whole batch and can still use them.
      </Answer>
      <Answer question="What if I switch the KL penalty off?">
        Then nothing holds the model near its start, no reference model is needed, and the KL curve stays
        empty.
      </Answer>
      <Answer question="What leaves this computer?">
        With the models of this page, nothing. Stories are made here, the model is trained here, runs are kept
        in this browser. A copied link holds the settings and the seed, and no data.
      </Answer>
      <Formulas />
    </section>
  );
}

function Answer({ question, children }: { question: string; children: ComponentChildren }) {
  return (
    <details>
      <summary>{question}</summary>
      <p>{children}</p>
    </details>
  );
}
