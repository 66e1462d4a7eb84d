/** Time and memory of a run on this computer, before the start and during training. */
import type { PlannedRun } from '../../../workers/protocol';
import { sameModel, type RunConfig } from '../../run/config/config';
import { configKey } from '../../run/config/fields';
import { knownModelConfig } from '../../run/config/known-models';
import { durationWords, RECENT, secondsLeft, type RunSoFar } from '../../run/estimate';
import type { RunView } from '../session/run-view';
import type { Session } from '../session/session';
import { until } from '../ui/until';
import { useFound } from '../ui/use-found';
import { sizeWords } from '../words/sizes';

/** Plans a run. Returns null if the plan needs a request that the visitor has not agreed to. */
export function planOf(session: Session, config: RunConfig): Promise<PlannedRun | null> {
  return canPlan(session, config) ? session.plan(config) : Promise.resolve(null);
}

/** True if the shape of the run's model is known or may be fetched. */
const canPlan = ({ mayReadModel }: Session, config: RunConfig): boolean =>
  knownModelConfig(config.model) !== null || mayReadModel(config);

/** The latest plan of the model, while a changed setting is planned anew. Null if it failed, undefined before the first. */
export function usePlan(session: Session, config: RunConfig): PlannedRun | null | undefined {
  const key = configKey({ ...config, seed: 0 });
  const wish = session.wish.value;
  const find = async (isWanted: () => boolean) => {
    for (;;) {
      // The worker plans nothing while it trains, and refuses a plan that a run overtakes.
      await until(session.activity, (activity) => activity === 'idle');
      const planned = isWanted() ? await planOf(session, config) : null;
      if (planned !== null || !isWanted() || session.activity.value === 'idle') return { config, planned };
    }
  };
  const found = useFound(find, [key, wish, canPlan(session, config)]);
  return found !== null && sameModel(found.config, config) ? found.planned : undefined;
}

/** `at most about 12 minutes, with 76 MB of memory` */
export const planWords = ({ seconds, memory }: Pick<PlannedRun, 'seconds' | 'memory'>): string =>
  `at most about ${durationWords(seconds)}, with ${sizeWords(memory)} of memory`;

function soFar({ config, records, evaluations, progress }: RunView): RunSoFar {
  const evaluated = evaluations.value.at(-1)?.report.step ?? -1;
  const { phase, step, fraction } = progress.value ?? {};
  const evaluating = phase === 'evaluate' && step !== evaluated ? (fraction ?? 0) : 0;
  return { config, records: records.value.slice(-RECENT), evaluated, evaluating };
}

/** Seconds until the end of a run that trains here; null before its plan is known. */
export function secondsToGo(view: RunView): number | null {
  return view.parts && secondsLeft(view.parts, soFar(view));
}
