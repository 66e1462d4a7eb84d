/** The samples of one prompt as rows: what each thinks and answers, what it earned, and how far it was moved. */
import { useSignal } from '@preact/signals';
import { Fragment } from 'preact';
import type { Rollout } from '../run/rollout-record';
import { signedNumber } from './numbers';
import { Prompt } from './prompt';
import { RolloutCard } from './rollout-card';
import { Stepper } from './stepper';
import { signs } from './thinking';
import { advantageColour } from './update/advantage-colour';

export interface SamplesProps {
  samples: readonly Rollout[];
  advantageOf: (rollout: Rollout) => number;
  /** What has the full colour and the longest bar. */
  largest: number;
  index: number;
  count: number;
  onChange: (index: number) => void;
}

export function Samples({ samples, advantageOf, largest, index, count, onChange }: SamplesProps) {
  const opened = useSignal<number | null>(null);
  const most = Math.max(...samples.map(({ reward }) => Math.abs(reward.total)), 1e-9);
  const open = samples.find(({ sample }) => sample === opened.value);
  const right = samples.filter(({ reward }) => reward.correct).length;
  return (
    <div class="group-of-samples">
      <div class="panel-head">
        <h3>
          One prompt, {samples.length} samples, {right} right
        </h3>
        <Stepper name="prompt" index={index} count={count} onChange={onChange} />
      </div>
      <Prompt rollout={samples[0]} />
      <div class="scroll" tabIndex={0} role="region" aria-label="Samples of this prompt">
        <table class="samples">
          <thead>
            <tr>
              <th scope="col">Sample</th>
              <th scope="col">Tokens, shaded by the advantage that each of them gets</th>
              <th scope="col">Answer</th>
              <th scope="col">Reward</th>
              <th scope="col">Advantage</th>
            </tr>
          </thead>
          <tbody>
            {samples.map((rollout) => (
              <Row
                key={rollout.sample}
                rollout={rollout}
                advantage={advantageOf(rollout)}
                largest={largest}
                most={most}
                isOpen={opened.value === rollout.sample}
                onOpen={() => (opened.value = opened.value === rollout.sample ? null : rollout.sample)}
              />
            ))}
          </tbody>
        </table>
      </div>
      {open === undefined ? null : <RolloutCard rollout={open} heading={`Sample ${open.sample + 1}`} />}
    </div>
  );
}

function Row(props: {
  rollout: Rollout;
  advantage: number;
  largest: number;
  most: number;
  isOpen: boolean;
  onOpen: () => void;
}) {
  const { rollout, advantage, largest, most, isOpen, onOpen } = props;
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
        <Tokens rollout={rollout} shade={colour} />
      </td>
      <td class={correct ? 'right' : 'wrong'}>
        {correct ? '✓' : '✗'} {answer ?? 'unreadable'}
        {rollout.finished ? '' : ', cut off'}
      </td>
      <td>
        <Bar share={total / most} colour="var(--ink)" words={signedNumber(total)} />
      </td>
      <td>
        <Bar
          share={largest === 0 ? 0 : advantage / largest}
          colour={colour}
          words={signedNumber(advantage)}
        />
      </td>
    </tr>
  );
}

/** Longer completions are shaded as a whole. */
const mostTokens = 300;

/** The completion token by token; in the small worlds a token is a word, and `;` ends a statement. */
function Tokens({ rollout: { completion, reward }, shade }: { rollout: Rollout; shade: string }) {
  const words = completion.split(/\s+/).filter((word) => word !== '');
  const thought = Math.max(0, words.indexOf('</think>'));
  const statements = reward.trace?.statements ?? [];
  const starts = words.flatMap((_, i) => (i < thought && (i === 0 || words[i - 1] === ';') ? [i] : []));
  // What another world reads as statements may not be cut by `;`.
  const isMarked = starts.length === statements.length;
  return (
    <span class="tokens-of">
      {words.length > mostTokens ? (
        <span style={{ '--shade': shade }}>{completion}</span>
      ) : (
        words.map((word, i) => {
          const statement = isMarked && starts.includes(i) ? statements[starts.indexOf(i)] : undefined;
          return (
            <Fragment key={i}>
              {statement === undefined ? null : (
                <b class={`verdict-${statement.verdict}`} title={signs[statement.verdict].word}>
                  <span aria-hidden="true">{signs[statement.verdict].sign}</span>
                  <span class="visually-hidden">({signs[statement.verdict].word}:) </span>
                </b>
              )}
              <span style={{ '--shade': shade }}>{word}</span>{' '}
            </Fragment>
          );
        })
      )}
    </span>
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
