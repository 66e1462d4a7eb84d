/** The verdict and the length in one line: on a narrow screen it stands above the charts, and the whole verdict below them. */
import type { Evaluation } from '../run/evaluation';
import { standingOf } from '../run/ending';
import { endingWords, verdictsOf } from './ending-words';

export function VerdictLine({ evaluations }: { evaluations: readonly Evaluation[] }) {
  const standing = standingOf(verdictsOf(evaluations));
  const [first, last] = [evaluations.at(0)?.report, evaluations.at(-1)?.report];
  return (
    <p class="verdict-line">
      <b>Verdict: {standing === null ? 'none yet' : endingWords(standing)}.</b>{' '}
      {first === undefined || last === undefined
        ? null
        : first === last
          ? `Thinking at the start: ${first.meanThinkLength.toFixed(1)} tokens, greedy.`
          : `Thinking ${first.meanThinkLength.toFixed(1)} → ${last.meanThinkLength.toFixed(1)} tokens, greedy.`}
    </p>
  );
}
