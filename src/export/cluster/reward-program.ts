/** `reward.py` with a run's settings written into it. */
import type { RunConfig } from '../../run/config/config';
import source from './reward.py?raw';
import { namesOf, readableNames } from '../../reward/claim-patterns';
import type { Item } from '../../tom/item';
import { itemWorld } from '../../tom/worlds/item-world';
import { decidingEvent, swapEvents, type SwapWorld } from '../../tom/worlds/swap';
import { showings, type Showing } from '../../tom/beliefs/simulate';
import { neededShowings } from '../../tom/beliefs/traces';
import type { World } from '../../tom/beliefs/world';

export function rewardProgram({
  reward,
  algorithm: { overlongBuffer, lengthPenalty },
  rollout,
}: Pick<RunConfig, 'reward' | 'algorithm' | 'rollout'>): string {
  const hasLengthTerms = overlongBuffer > 0 || lengthPenalty > 0;
  const settings = JSON.stringify({
    preset: reward.preset,
    minimumThinkWords: reward.minimumThinkWords ?? 0,
    targetThinkWords: reward.targetThinkWords ?? 0,
    length: hasLengthTerms ? { limit: rollout.maxNewTokens, overlongBuffer, lengthPenalty } : null,
  });
  return source.replace(/^SETTINGS = .*$/m, () => `SETTINGS = json.loads('${settings}')`);
}

/** What `reward.py` judges an answer and its reasoning by. */
export function rewardItem(item: Item) {
  const { answer, scoring } = item;
  const judged = { answer, ...(scoring && { scoring }) };
  const behind = itemWorld(item);
  if (behind === null) return { ...judged, reader: undefined };
  if (behind.kind === 'swap') return { ...judged, ...swapTable(behind.world) };
  return { ...judged, ...englishTable(behind.world) };
}

function swapTable(world: SwapWorld) {
  const { chain } = world;
  const events = swapEvents(world);
  return {
    reader: 'swap' as const,
    /** Who acted, where the object then was, who of those asked about saw it. */
    events: events.map(({ actor, place, witnesses }) => [
      actor,
      place,
      chain.filter((agent) => witnesses.includes(agent)),
    ]),
    /** Index of the last event that all of those asked about saw. */
    deciding: decidingEvent(events, chain),
    chainLength: chain.length,
  };
}

function englishTable(world: World) {
  const shown = showings(world.rules, world.actions);
  /** In the order in which sentences are read. */
  const { agents } = namesOf(world);
  return {
    reader: 'english' as const,
    world: {
      agents,
      lowered: agents.map((agent) => agent.toLowerCase()),
      /** The names that patterns match, in plain words, longest first. */
      words: readableNames(world),
      question: world.question,
      actions: world.actions,
      shown: shown.map((showing) => {
        const { action, thing, property, value, real } = showing;
        return { action, thing, property, value, real, reach: reachTable(showing, agents) };
      }),
      /** Indices into `shown`. */
      needed: neededShowings(world, shown).map((showing) => shown.indexOf(showing)),
    },
  };
}

/** Indices of agents: who really noticed a showing and who seemed to, or, where it was by telling, the chains reached. */
export type ReachTable = { noticed: number[]; seemed: number[] } | { chains: number[][] };

/**
 * The simulator reaches chains in two ways. By noticing: the first agent noticed and all others seemed to, and the empty
 * chain is reached. By telling: some chains of one or two, and the empty one is not.
 */
export function reachTable(showing: Pick<Showing, 'reaches'>, agents: readonly string[]): ReachTable {
  const all = agents.map((_, index) => index);
  const noticed = all.filter((first) => showing.reaches([agents[first]]));
  const pairs = all.flatMap((first) =>
    all.filter((other) => showing.reaches([agents[first], agents[other]])).map((other) => [first, other]),
  );
  if (!showing.reaches([])) return { chains: [...noticed.map((first) => [first]), ...pairs] };
  return { noticed, seemed: all.filter((other) => pairs.some((pair) => pair[1] === other)) };
}
