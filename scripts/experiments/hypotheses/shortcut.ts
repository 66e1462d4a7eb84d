/** H4: where the shortcut is right less often, fewer runs lose their reasoning; 25k, six starts, their first RL seeds. */
import { intervalOf, probabilityOf, resampleRuns, type Interval } from '../bootstrap';
import { isFirstSeed, madeOf, progressOf, SEED, type JudgedRun, type Study } from '../study';
import type { Finding } from './finding';
import { losingGroup, type LosingGroup } from './losing';

export const strengths = ['.90', '.70', '.56'] as const;
type Strength = (typeof strengths)[number];
const weaker = ['.70', '.56'] as const;

export interface ShortcutEffect extends Finding {
  groups: LosingGroup[];
  /** Fraction at .90 minus that at the weaker shortcut, over the starts that have both; null without any. */
  differences: Record<(typeof weaker)[number], number | null>;
  pooled: Interval | null;
}

export function shortcutEffect(study: Study): ShortcutEffect {
  const strengthOf = (run: { id: string }): Strength =>
    weaker.find((strength) => run.id.includes(`/S${strength}/`)) ?? '.90';
  const wanted = study.planned.filter((plan) => plan.hypotheses.includes('H4') && isFirstSeed(plan));
  const progress = progressOf(study, wanted);
  const runs = madeOf(study, wanted);
  const groups = strengths.map((strength) =>
    losingGroup(
      `S = ${strength}`,
      runs.filter(({ plan }) => strengthOf(plan) === strength),
      study.items.draws,
    ),
  );
  const judgeable = runs.filter(({ reasoned }) => reasoned);
  const ofStart = (id: string, strength: Strength): JudgedRun | undefined =>
    judgeable.find(({ plan }) => plan.start.id === id && strengthOf(plan) === strength);
  const startIds = [...new Set(judgeable.map(({ plan }) => plan.start.id))];
  /** Per start, what each weaker shortcut takes from losing: 1, 0 or -1. */
  const paired = startIds.map((id) => {
    const strong = ofStart(id, '.90');
    return weaker.flatMap((strength) => {
      const weak = ofStart(id, strength);
      const pair = strong !== undefined && weak !== undefined;
      return pair ? [{ strength, difference: Number(strong.loses) - Number(weak.loses) }] : [];
    });
  });
  const starts = paired.filter((pairs) => pairs.length > 0);
  const differenceAt = (strength: string): number | null => {
    const pairs = starts.flat().filter((pair) => pair.strength === strength);
    return pairs.length === 0 ? null : meanOf(pairs.map(({ difference }) => difference));
  };
  const differences = { '.70': differenceAt('.70'), '.56': differenceAt('.56') };
  if (starts.length === 0) return { progress, groups, differences, pooled: null, holds: null, p: null };
  const mean = (drawn: typeof starts): number => meanOf(drawn.flat().map(({ difference }) => difference));
  const drawn = resampleRuns(study.items.draws, SEED, (random) =>
    mean(starts.map(() => random.choice(starts))),
  );
  const pooled = intervalOf(mean(starts), drawn);
  const decided = progress.complete && Object.values(differences).every((difference) => difference !== null);
  const fewer = Object.values(differences).every((difference) => difference !== null && difference > 0);
  return {
    progress,
    groups,
    differences,
    pooled,
    holds: decided ? fewer && pooled.low > 0 : null,
    p: decided ? probabilityOf(drawn, (difference) => difference <= 0) : null,
  };
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
