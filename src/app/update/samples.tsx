/** The samples of one prompt as rows: what each thinks and answers, what it earned, and how far it was moved. */
import { useSignal } from '@preact/signals';
import { extent } from '../../base/statistics';
import type { Rollout } from '../../run/record/rollout-record';
import { signedNumber } from '../ui/numbers';
import { Prompt } from '../story/prompt';
import { RolloutCard } from '../story/rollout-card';
import { Stepper } from '../ui/stepper';
import { advantageColour } from './advantage-colour';
import { changesOf, likelihoodRatio, ratioWords, whatFollowed } from './token-figures';
import { Tokens, TokenTable, type Shading } from './tokens';
import { ListTable } from '../ui/list-table';

export interface SamplesProps {
  samples: readonly Rollout[];
  advantageOf: (rollout: Rollout) => number;
  /** Whether these are the advantages that the run itself had. */
  isOwn: boolean;
  /** What has the full colour and the longest bar. */
  largest: number;
  index: number;
  count: number;
  onChange: (index: number) => void;
}

/** Of a prompt, those listed: a row has an element for each word. */
const MOST_ROWS = 16;

const shadings: Record<Shading, string> = { advantage: 'its advantage', change: 'what the update did to it' };

export function Samples(props: SamplesProps) {
  const { samples, advantageOf, isOwn, largest, index, count, onChange } = props;
  const opened = useSignal<number | null>(null);
  const shading = useSignal<Shading>('advantage');
  const changes = samples.flatMap(({ byToken }) => (byToken === undefined ? [] : changesOf(byToken)));
  const hasChanges = changes.length > 0;
  const shown = hasChanges ? shading.value : 'advantage';
  const [, mostChanged] = extent([0, ...changes.map(Math.abs)]);
  const most = Math.max(...samples.map(({ reward }) => Math.abs(reward.total)), 1e-9);
  const open = samples.find(({ sample }) => sample === opened.value);
  const right = samples.filter(({ reward }) => reward.correct).length;
  return (
    <div class="group-of-samples stack">
      <div class="panel-head">
        <h3>
          One prompt, {samples.length} samples, {right} right
          {samples.length > MOST_ROWS ? `; the first ${MOST_ROWS} are listed` : ''}
        </h3>
        <Stepper name="prompt" index={index} count={count} onChange={onChange} />
      </div>
      <Prompt rollout={samples[0]} />
      {hasChanges ? (
        <fieldset class="segments">
          <legend>Each token is shaded by</legend>
          {(Object.keys(shadings) as Shading[]).map((name) => (
            <label key={name}>
              <input
                type="radio"
                name="token-shading"
                checked={name === shown}
                onChange={() => (shading.value = name)}
              />
              <span>{shadings[name]}</span>
            </label>
          ))}
        </fieldset>
      ) : (
        <p class="facts">
          What the update did to single tokens is kept for two prompts of each step, of a recording for one,
          and not of this one.
        </p>
      )}
      {shown === 'change' ? (
        <p class="explain">
          These are changes of log p, by the policy before and after this step’s own update
          {isOwn ? '' : ', whatever algorithm is looked at above'}.
        </p>
      ) : null}
      <div class="scroll" tabIndex={0} role="region" aria-label="Samples of this prompt">
        <ListTable class="samples">
          <thead>
            <tr>
              <th scope="col">Sample</th>
              <th scope="col">
                {shown === 'change'
                  ? 'Tokens, shaded by the change of their log p'
                  : 'Tokens, shaded by the advantage that each of them gets'}
              </th>
              <th scope="col">Answer</th>
              <th scope="col">Reward</th>
              <th scope="col">Advantage</th>
              {hasChanges ? <th scope="col">As likely as before</th> : null}
            </tr>
          </thead>
          <tbody>
            {samples.slice(0, MOST_ROWS).map((rollout) => (
              <Row
                key={rollout.sample}
                rollout={rollout}
                advantage={advantageOf(rollout)}
                isOwn={isOwn}
                shading={shown}
                largest={largest}
                mostChanged={mostChanged}
                most={most}
                isOpen={opened.value === rollout.sample}
                onOpen={() => (opened.value = opened.value === rollout.sample ? null : rollout.sample)}
              />
            ))}
          </tbody>
        </ListTable>
      </div>
      {hasChanges ? <p class="explain">{whatFollowed(samples)}</p> : null}
      {open === undefined ? null : <RolloutCard rollout={open} heading={`Sample ${open.sample + 1}`} />}
      {open?.byToken === undefined ? null : <TokenTable changes={open.byToken} />}
    </div>
  );
}

function Row(props: {
  rollout: Rollout;
  advantage: number;
  isOwn: boolean;
  shading: Shading;
  largest: number;
  mostChanged: number;
  most: number;
  isOpen: boolean;
  onOpen: () => void;
}) {
  const { rollout, advantage, isOwn, shading, largest, mostChanged, most, isOpen, onOpen } = props;
  const { answer, correct, total } = rollout.reward;
  const colour = advantageColour(advantage, largest);
  return (
    <tr>
      <td>
        <button type="button" aria-expanded={isOpen} onClick={onOpen}>
          {rollout.sample + 1}
          <span class="visually-hidden"> and the parts of its reward</span>
        </button>
      </td>
      <td>
        <Tokens
          rollout={rollout}
          shading={shading}
          advantage={advantage}
          isOwn={isOwn}
          largest={shading === 'change' ? mostChanged : largest}
        />
      </td>
      <td class={correct ? 'right' : 'wrong'}>
        {correct ? '✓' : '✗'} {answer ?? 'unreadable'}
        {rollout.finished ? '' : ', cut off'}
      </td>
      <td data-name="Reward">
        <Bar share={total / most} colour="var(--ink)" words={signedNumber(total)} />
      </td>
      <td data-name="Advantage">
        <Bar
          share={largest === 0 ? 0 : advantage / largest}
          colour={colour}
          words={signedNumber(advantage)}
        />
      </td>
      {rollout.byToken === undefined ? null : (
        <td data-name="As likely as before">{ratioWords(likelihoodRatio(rollout.byToken))}</td>
      )}
    </tr>
  );
}

/** A bar from the middle: to the right above 0, to the left below. */
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
