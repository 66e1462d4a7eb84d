/** One prompt of a step with its samples: text, reward, and effect of the update. */
import { useSignal } from '@preact/signals';
import { extent } from '../../base/statistics';
import { signedNumber } from '../ui/numbers';
import { Prompt } from '../story/prompt';
import { RolloutCard } from '../story/rollout-card';
import { Choices } from '../ui/choices';
import { Stepper } from '../ui/stepper';
import { Scroll, Table } from '../ui/table';
import { byPrompt, groupToShow, placeIn } from './prompt-groups';
import { advantageColour, changesOf, largestOf, likelihoodRatio, ratioWords } from './token-figures';
import { Tokens, TokenTable, type Shading } from './tokens';
import type { UpdateProps } from './update-panel';

/** Maximum number of listed samples of a prompt, since a row has an element for each word. */
const MOST_ROWS = 16;

const shadings: Record<Shading, string> = { advantage: 'its advantage', change: 'what the update did to it' };

export function SamplesPanel(props: UpdateProps) {
  const { batch, rollouts, why } = props;
  const { advantages } = batch;
  const largest = largestOf(advantages);
  /** Index of the chosen prompt; null until the visitor chooses one. */
  const prompt = useSignal<number | null>(null);
  const opened = useSignal<number | null>(null);
  const shading = useSignal<Shading>('advantage');
  const prompts = byPrompt(rollouts);
  const first = groupToShow(rollouts);
  const usual = prompts.findIndex(([{ group }]) => group === first);
  const index = prompt.value === null ? usual : Math.min(prompt.value, prompts.length - 1);
  const samples = prompts[index];
  const changes = samples.flatMap(({ byToken }) => (byToken === undefined ? [] : changesOf(byToken)));
  const hasChanges = changes.length > 0;
  const shown = hasChanges ? shading.value : 'advantage';
  const [, mostChanged] = extent([0, ...changes.map(Math.abs)]);
  const mostPaid = Math.max(...samples.map(({ reward }) => Math.abs(reward.total)), 1e-9);
  const open = samples.find(({ sample }) => sample === opened.value);
  const right = samples.filter(({ reward }) => reward.correct).length;
  return (
    <section class="panel update" aria-labelledby="samples">
      <h2 id="samples">Sample by sample (step {batch.step})</h2>
      {why}
      <div class="pair stack">
        <div class="panel-head">
          <h3>
            One prompt, {samples.length} samples, {right} right
            {samples.length > MOST_ROWS ? `; the first ${MOST_ROWS} are listed` : ''}
          </h3>
          <Stepper
            name="prompt"
            index={index}
            count={prompts.length}
            onChange={(next) => (prompt.value = next)}
          />
        </div>
        <Prompt rollout={samples[0]} />
        {hasChanges ? (
          <div class="row">
            Each token is shaded by
            <Choices
              label="Each token is shaded by"
              names={shadings}
              chosen={shown}
              onChoose={(name) => (shading.value = name)}
            />
          </div>
        ) : (
          <p class="facts">
            The changes of single tokens are stored for two prompts of each step (for one in a recording), and
            this prompt is not among them.
          </p>
        )}
        {shown === 'change' ? (
          <p class="explain">
            These are changes of log p, by the policy before and after this step’s own update.
          </p>
        ) : null}
        <Scroll label="Samples of this prompt">
          <Table
            class="samples is-list"
            head={[
              'Sample',
              'Tokens',
              'Answer',
              'Reward',
              'Advantage',
              ...(hasChanges ? ['As likely as before'] : []),
            ]}
            rows={samples.slice(0, MOST_ROWS).map((rollout) => {
              const { sample, byToken } = rollout;
              const { answer, correct, total } = rollout.reward;
              const advantage = advantages[placeIn(batch, rollout)] ?? 0;
              return [
                <button
                  aria-expanded={sample === opened.value}
                  onClick={() => (opened.value = sample === opened.value ? null : sample)}
                >
                  {sample + 1}
                  <span class="visually-hidden"> and the parts of its reward</span>
                </button>,
                <Tokens
                  {...{ rollout, advantage }}
                  shading={shown}
                  largest={shown === 'change' ? mostChanged : largest}
                />,
                <span class={correct ? 'right' : 'wrong'}>
                  {correct ? '✓' : '✗'} {answer ?? 'unreadable'}
                  {rollout.finished ? '' : ', cut off'}
                </span>,
                <Bar share={total / mostPaid} colour="var(--ink)" words={signedNumber(total)} />,
                <Bar
                  share={largest === 0 ? 0 : advantage / largest}
                  colour={advantageColour(advantage, largest)}
                  words={signedNumber(advantage)}
                />,
                ...(hasChanges ? [byToken === undefined ? '' : ratioWords(likelihoodRatio(byToken))] : []),
              ];
            })}
          />
        </Scroll>
        {open === undefined ? null : <RolloutCard rollout={open} heading={`Sample ${open.sample + 1}`} />}
        {open?.byToken === undefined ? null : <TokenTable changes={open.byToken} />}
      </div>
    </section>
  );
}

/** Bar from the middle: to the right for positive values, to the left for negative ones. */
function Bar({ share, colour, words }: { share: number; colour: string; words: string }) {
  const size = 50 * Math.min(1, Math.abs(share));
  return (
    <span class="bar">
      <b>{words}</b>
      <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
        <rect x={share < 0 ? 50 - size : 50} y="1" width={size} height="8" style={{ fill: colour }} />
        <path d="M50 0V10" />
      </svg>
    </span>
  );
}
