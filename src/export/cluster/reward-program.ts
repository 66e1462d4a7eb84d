/** `reward.py` with the settings of a run, and its input per item. */
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

/** Data of an item from which `reward.py` judges an answer and its reasoning. */
export function rewardItem(item: Item) {
  const { answer, scoring } = item;
  const answerRule = { answer, ...(scoring && { scoring }) };
  const simulated = itemWorld(item);
  if (simulated === null) return { ...answerRule, reader: undefined };
  if (simulated.kind === 'swap') return { ...answerRule, ...swapTable(simulated.world) };
  return { ...answerRule, ...englishTable(simulated.world) };
}

function swapTable(world: SwapWorld) {
  const { chain } = world;
  const events = swapEvents(world);
  return {
    reader: 'swap' as const,
    /** Actor, place of the object after the event, and the agents of the question who saw it. */
    events: events.map(({ actor, place, witnesses }) => [
      actor,
      place,
      chain.filter((agent) => witnesses.includes(agent)),
    ]),
    /** Index of the last event that all agents of the question saw. */
    deciding: decidingEvent(events, chain),
    chainLength: chain.length,
  };
}

function englishTable(world: World) {
  const allShowings = showings(world.rules, world.actions);
  const { agents } = namesOf(world);
  return {
    reader: 'english' as const,
    world: {
      agents,
      /** Names for the patterns, normalised, longest first. */
      words: readableNames(world),
      question: world.question,
      actions: world.actions,
      shown: allShowings.map((showing) => {
        const { action, thing, property, value, real } = showing;
        return { action, thing, property, value, real, reach: reachTable(showing, agents) };
      }),
      /** Indices into `shown`. */
      needed: neededShowings(world, allShowings).map((showing) => allShowings.indexOf(showing)),
    },
  };
}

/** Agents, as indices, that noticed a showing or seemed to notice it; for a telling, the chains of agents that it reached. */
export type ReachTable = { noticed: number[]; seemed: number[] } | { chains: number[][] };

/**
 * Tabulates the chains of agents that a showing reaches. An event reaches the empty chain, and every chain whose first agent
 * noticed it and whose other agents seemed to notice it. A telling reaches some chains of one or two agents and not the
 * empty chain.
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
