/** What a run needs here, before it begins and while it trains. */
import type { PlannedRun } from '../../../workers/protocol';
import type { RunConfig } from '../../run/config/config';
import { durationWords, secondsLeft, type RunSoFar } from '../../run/estimate';
import type { RunView } from '../session/run-view';
import type { Session } from '../session/session';
import { useFound } from '../ui/use-found';
import { sizeWords } from '../words/sizes';

/** Plans the run once it is known whose files it takes: other servers are not asked before the visitor agrees. */
export function usePlan(session: Session, config: RunConfig): PlannedRun | null {
  const { kind } = config.model;
  const isHere = kind === 'embedded';
  const key = JSON.stringify({ ...config, seed: 0 });
  const wish = session.wish.value;
  return useFound(() => (isHere ? session.plan(config) : Promise.resolve(null)), [key, wish]);
}

/** `at most about 12 minutes, with 76 MB of memory` */
export const planWords = ({ seconds, memory }: Pick<PlannedRun, 'seconds' | 'memory'>): string =>
  `at most about ${durationWords(seconds)}, with ${sizeWords(memory)} of memory`;

export function soFar({ config, records, evaluations, progress }: RunView): RunSoFar {
  const evaluated = evaluations.value.at(-1)?.report.step ?? -1;
  const { phase, step, fraction } = progress.value ?? {};
  const isAtWork = phase === 'evaluate' && step !== evaluated;
  return { config, records: records.value, evaluated, evaluating: isAtWork ? (fraction ?? 0) : 0 };
}

/** Seconds until a run ends that trains here; null before its plan is known. */
export function secondsToGo(view: RunView): number | null {
  const parts = view.parts.value;
  return parts && secondsLeft(parts, soFar(view));
}
