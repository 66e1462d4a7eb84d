/** What the model writes: the same question at the first step and now, and what was sampled at any step. */
import { signal, useSignal } from '@preact/signals';
import type { Rollout } from '../run/events';
import { useEffect } from 'preact/hooks';
import { RolloutCard } from './rollout-card';
import type { Evaluation } from '../store/records';
import type { RunView } from './run-view';

/** Place among the samples; null until somebody chooses. */
const question = signal<number | null>(null);

/** The question to begin with: the one that is reasoned about most at the first step. */
function mostReasoned(samples: readonly Rollout[]): number {
  const statements = samples.map(({ reward }) => reward.trace?.statements.length ?? 0);
  return statements.indexOf(Math.max(...statements));
}

export function FirstAndNow({ evaluations }: { evaluations: readonly Evaluation[] }) {
  const chosen = useSignal<number | null>(null);
  const first = evaluations[0]?.report;
  if (first === undefined || first.samples.length === 0) return null;
  const last = evaluations.length - 1;
  const at = Math.min(chosen.value ?? last, last);
  const now = evaluations[at].report;
  // Any question that was asked at both steps.
  const pairs = first.samples.flatMap((before) => {
    const after = now.samples.find((sample) => sample.itemId === before.itemId);
    return after === undefined ? [] : [{ before, after }];
  });
  if (pairs.length === 0) return null;
  const count = pairs.length;
  const index = Math.min(question.value ?? mostReasoned(pairs.map(({ before }) => before)), count - 1);
  const { before, after } = pairs[index];
  return (
    <section class="panel" aria-labelledby="first-and-now">
      <div class="panel-head">
        <h2 id="first-and-now">The same question, first and now</h2>
        <Stepper name="question" index={index} count={count} onChange={(next) => (question.value = next)} />
      </div>
      <Prompt rollout={before} />
      {last > 0 ? (
        <label class="slider">
          Compare step 0 with step <output>{now.step}</output>
          <input
            type="range"
            min="0"
            max={last}
            value={at}
            aria-valuetext={`step ${now.step}`}
            onInput={(event) => {
              const value = event.currentTarget.valueAsNumber;
              chosen.value = value === last ? null : value;
            }}
          />
        </label>
      ) : null}
      <div class="side-by-side">
        <RolloutCard rollout={before} heading={`Step ${first.step}`} greedy />
        {now === first ? (
          <p class="empty">The next evaluation of this question will stand here.</p>
        ) : (
          <RolloutCard
            rollout={after}
            heading={chosen.value === null ? `Now (step ${now.step})` : `Step ${now.step}`}
            greedy
          />
        )}
      </div>
    </section>
  );
}

export function Prompt({ rollout }: { rollout: Rollout }) {
  const { shortcutAnswer, goldAnswer } = rollout;
  return (
    <div class="prompt">
      <p class="words">{rollout.prompt}</p>
      <p class="facts">
        Order {rollout.order}. True answer: <b>{goldAnswer}</b>.
        {shortcutAnswer === null ? null : (
          <>
            {' '}
            The shortcut says <b>{shortcutAnswer}</b>
            {shortcutAnswer === goldAnswer ? ', and is right.' : ', and is wrong.'}
          </>
        )}
      </p>
    </div>
  );
}

/** Completions sampled while training: a step by the slider, one prompt's samples together. */
export function SampledRollouts({
  view,
  load,
}: {
  view: RunView;
  load: (step: number) => Promise<readonly Rollout[]>;
}) {
  const chosen = useSignal<number | null>(null);
  const prompt = useSignal(0);
  const shown = useSignal<readonly Rollout[]>([]);
  const steps = view.rolloutSteps.value;
  const last = steps.length - 1;
  const at = Math.min(chosen.value ?? last, last);
  const step = steps[at] ?? null;
  const latest = view.latestRollouts.value;

  useEffect(() => {
    if (step === null) return;
    if (latest[0]?.step === step) {
      shown.value = latest;
      return;
    }
    let wanted = true;
    void load(step).then((rollouts) => {
      if (wanted) shown.value = rollouts;
    });
    return () => {
      wanted = false;
    };
  }, [view, step]);

  if (step === null) return null;
  const groups = [...new Set(shown.value.map((rollout) => rollout.group))];
  const index = Math.min(prompt.value, Math.max(0, groups.length - 1));
  const samples = shown.value.filter((rollout) => rollout.group === groups[index]);
  return (
    <section class="panel" aria-labelledby="sampled">
      <div class="panel-head">
        <h2 id="sampled">Sampled while training</h2>
        <Stepper
          name="prompt"
          index={index}
          count={groups.length}
          onChange={(next) => (prompt.value = next)}
        />
      </div>
      <label class="slider">
        Step <output>{step}</output>
        <input
          type="range"
          min="0"
          max={last}
          value={at}
          aria-valuetext={`step ${step}`}
          onInput={(event) => {
            const value = event.currentTarget.valueAsNumber;
            chosen.value = value === last ? null : value;
          }}
        />
      </label>
      {samples.length === 0 ? null : <Prompt rollout={samples[0]} />}
      <p class="explain">
        {samples.filter((sample) => sample.reward.correct).length} of {samples.length} right. Samples of one
        prompt differ only by chance. Those that earn more than the others are made likelier (advantage above
        0), the rest less likely.
      </p>
      <div class="cards">
        {samples.map((sample) => (
          <RolloutCard key={sample.sample} rollout={sample} heading={`Sample ${sample.sample + 1}`} />
        ))}
      </div>
    </section>
  );
}

/** Goes through a few things in a circle. */
function Stepper(props: { name: string; index: number; count: number; onChange: (index: number) => void }) {
  const { name, index, count, onChange } = props;
  if (count < 2) return null;
  return (
    <div class="stepper">
      <button type="button" onClick={() => onChange((index + count - 1) % count)}>
        Previous<span class="visually-hidden"> {name}</span>
      </button>
      <span>
        {name} {index + 1} of {count}
      </span>
      <button type="button" onClick={() => onChange((index + 1) % count)}>
        Next<span class="visually-hidden"> {name}</span>
      </button>
    </div>
  );
}
