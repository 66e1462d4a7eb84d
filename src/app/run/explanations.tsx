/** What people stumble over, said where they look for it. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { algorithmNames } from '../../objective/algorithm';
import { defaultPreset, presets } from '../../run/config/presets';
import { Doc } from '../words/doc-link';
import { parameterWords } from '../words/sizes';
import { percent } from '../ui/numbers';
import type { RunView } from '../session/run-view';
import { advantageWords } from '../update/comparison';
import { stagesOf } from '../update/stages';
import type { StepBatch } from '../../run/recording/step-batch';
import { WhyLost, whyLostInGeneral } from '../verdict/why-lost';
import { endingGlossary, glossary } from '../words/glossary';

export interface ExplanationsProps {
  /** The run or the recording on show, from which the examples are taken. */
  view?: RunView;
  /** What the completions of its first shown step earned. */
  firstBatch?: () => Promise<StepBatch | null>;
  /** Some answers tell how such runs end. */
  hidesEnding: boolean;
}

export function Explanations({ view, firstBatch, hidesEnding }: ExplanationsProps) {
  const batch = useSignal<StepBatch | null>(null);
  useEffect(() => void firstBatch?.().then((found) => (batch.value = found)), [view]);
  const config = view?.config ?? presets[defaultPreset];
  const { promptsPerStep, samplesPerPrompt } = config.rollout;
  const name = config.algorithm.name;
  const lengths = view?.evaluations.value.map(({ report }) => report.meanThinkLength) ?? [];
  return (
    <section class="panel explanations" aria-labelledby="explanations">
      <h2 id="explanations">What am I looking at?</h2>
      <Answer question="What is being trained?">
        A toy: a language model of {parameterWords('ladder-25k')} parameters that knows 40 words. It reads a
        story in which people swap what lies in two places and leave one after the other, and answers
        questions such as: where does Ann think that Bob thinks the key is? It was first taught by examples:
        some reasoned step by step, some gave the answer alone. From there, reinforcement learning
        (REINFORCE++) pays it for the right form and the right answer; only the reward called “faithful” pays
        for the reasoning itself.
      </Answer>
      <Answer question="What happens in one step?">
        {promptsPerStep} questions are drawn, and the model writes {samplesPerPrompt} completions to each: its
        thinking (the trace), then its answer. Each completion is paid its reward and gets an advantage. Then
        all weights are changed once, so that tokens of completions with an advantage above 0 become likelier
        and those below 0 less likely. Algorithms such as {algorithmNames[name]} differ in how they turn
        rewards into advantages.
      </Answer>
      <Answer question="What is an advantage?">
        An advantage says how much more a completion earned than what it is compared with; it, and not the
        reward, decides what the update pushes up. As {algorithmNames[name]} computes it:{' '}
        {batch.value === null
          ? 'start a run, and its own numbers stand here.'
          : `${advantageWords(name, batch.value, stagesOf(batch.value, config.algorithm).scaled)} These are the numbers of this run at step ${batch.value.step}.`}
      </Answer>
      {hidesEnding ? null : (
        <Answer question={whyLostInGeneral}>
          <WhyLost of="either" paying={config} />{' '}
          {lengths.length > 1
            ? `In this run the thinking went from ${lengths[0].toFixed(1)} to ${lengths[lengths.length - 1].toFixed(1)} tokens, greedy.`
            : ''}
        </Answer>
      )}
      <Answer question="Why are there two lengths, greedy and sampled?">
        While it trains, the model draws each token by its probability (sampled), which is what the curves of
        every step show. An evaluation takes the likeliest token each time (greedy), always on the same
        questions, so that two of them differ by the model alone; the verdict goes by these. A model that
        often stops early by chance can have short sampled thoughts and long greedy ones.
      </Answer>
      <Answer question="What is correct reasoning, and what does “faithful” mean?">
        The computer knows the story, so it checks each statement of a trace. Thinking counts as true, and the
        trace as faithful, when all of them are true and they cover at least 80 % of what the answer takes.
        That says nothing of whether the answer came from it: for that, the thinking is cut, or one statement
        made false, and one looks whether the answer changes.
      </Answer>
      <Answer question="What is the order of a question?">
        How many beliefs lie in one another. Order 0: where is the key? Order 1: where does Ann think the key
        is? Order 2: where does Ann think that Bob thinks the key is? From order 1 on the answer can differ
        from where the key is, since people leave and do not see what happens then.
      </Answer>
      {hidesEnding ? (
        <p>Why a run ends as it does is explained here once the verdict is shown.</p>
      ) : (
        <Endings view={view} />
      )}
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
      <Answer question="Which formula is behind each curve and each algorithm?">
        <Doc name="algorithms">The page of formulas</Doc> has them all, each beside the file that computes it;{' '}
        <Doc name="read-the-code">another</Doc> leads through the files in the order of the data.
      </Answer>
      <details>
        <summary>The words of this page</summary>
        <dl class="glossary stack">
          {Object.entries(glossary)
            .filter(([word]) => !hidesEnding || !(word in endingGlossary))
            .map(([word, meaning]) => (
              <div key={word}>
                <dt>
                  <b>{word}</b>
                </dt>
                <dd>{meaning}</dd>
              </div>
            ))}
        </dl>
      </details>
    </section>
  );
}

/** What tells how such runs end; why they do stands above. */
function Endings({ view }: { view: RunView | undefined }) {
  return (
    <>
      <Answer question="How can accuracy rise without any reasoning?">
        In {percent(view?.evaluations.value.at(0)?.report.shortcutLine ?? 0.9)} of these questions the thing
        is believed to be where it was after the first event. To answer that place is a shortcut: it tracks
        nobody’s belief. A model that finds it is right where the shortcut is right and wrong where it is
        wrong. The accuracy of all questions hides that; the two lines show it.
      </Answer>
      <Answer question="Is this how large models behave?">
        It is a stylised analogue, no more. The collapse of reasoning under such a reward was reported for
        models of 0.5 to 7 billion parameters on Theory-of-Mind questions. Here the short way of answering was
        put in by the examples on purpose, so that three minutes are enough to see which way wins. It does not
        always win, and not always in one way: <Doc name="results">the results</Doc> list every run.
      </Answer>
    </>
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
