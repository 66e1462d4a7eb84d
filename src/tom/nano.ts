/**
 * The generator of nano stories: a seeded world, one question about it, and everything known about the answer.
 *
 * Source: the CPU prototype's world (4 of 8 agents, 4 of 8 containers, one of 4 objects; each agent moves the object
 * with probability .6 to one of the other three containers). Stories with a return are held out of the headline run:
 * there the first to act may see more later, and the shortcut fails at every order.
 */
import type { Random } from '../random';
import type { Item } from './item';
import { nanoStory, nanoTraces } from './nano-text';
import { nanoBelief, nanoEvents, nanoShortcuts, type NanoLine, type NanoWorld } from './nano-world';
import { decidingEvent } from './seen-event';
import { AGENTS, OBJECTS, PLACES, smallQuestion } from './small-words';
import { storyIdOf } from './story-id';

const PEOPLE = 4;
const CONTAINERS = 4;
const MOVE_PROBABILITY = 0.6;
/** Of the stories that may have a return, how many do. */
const RETURN_PROBABILITY = 0.5;

/** A world with a question of the given order (0 to 4). */
export function drawNanoWorld(random: Random, order: number, reentry: boolean): NanoWorld {
  const agents = random.sample(AGENTS, PEOPLE);
  const containers = random.sample(PLACES, CONTAINERS);
  const object = random.choice(OBJECTS);
  const returnBefore =
    reentry && random.uniform() < RETURN_PROBABILITY ? 1 + random.integer(PEOPLE - 1) : null;
  const start = containers[0];
  const lines: NanoLine[] = [];
  let place = start;
  agents.forEach((actor, turn) => {
    const guest = turn === returnBefore ? agents[random.integer(turn)] : null;
    if (guest !== null) lines.push({ actor: guest, act: 'entered' });
    if (random.uniform() < MOVE_PROBABILITY) {
      const from = place;
      place = random.choice(containers.filter((container) => container !== from));
      lines.push({ actor, act: 'moved', place });
    } else {
      lines.push({ actor, act: 'stayed' });
    }
    lines.push({ actor, act: 'exited' });
    if (guest !== null) lines.push({ actor: guest, act: 'exited' });
  });
  return { agents, containers, object, start, lines, chain: random.sample(agents, order) };
}

/** The item that asks a world's question. */
export function nanoItem(world: NanoWorld, id: string): Item {
  const story = nanoStory(world);
  return {
    id,
    dataset: 'nano',
    storyId: storyIdOf('nano', story),
    story,
    question: smallQuestion(world),
    answer: nanoBelief(world),
    order: world.chain.length,
    kind: world.lines.some((line) => line.act === 'entered') ? 're-entry' : 'plain',
    shortcuts: nanoShortcuts(world),
    traces: nanoTraces(world),
    world,
    training: 'allowed',
  };
}

/**
 * The same story with the deciding act changed and nothing else, so that the answer must change: a model that tracks
 * the belief follows, one that answers from habit or by rote does not. When a return decides, the act that had put the
 * object where it then lay is the one that changes.
 */
export function nanoTwin(world: NanoWorld): NanoWorld {
  const deciding = decidingEvent(nanoEvents(world), world.chain);
  const answer = nanoBelief(world);
  const showing = world.lines
    .map((line, index) => ({ line, index }))
    .filter(({ line }) => line.act !== 'exited');
  const seen = showing.slice(0, deciding);
  const changed = seen.findLast(({ line }) => line.act !== 'entered')?.index ?? -1;
  const placeBefore = world.lines
    .slice(0, Math.max(changed, 0))
    .findLast((line) => line.act === 'moved')?.place;
  const nextMove = world.lines.slice(changed + 1).find((line) => line.act === 'moved')?.place;
  const place = world.containers.find((container) => container !== answer && container !== nextMove)!;
  if (changed === -1) return { ...world, start: place };
  const stays = place === (placeBefore ?? world.start);
  const line: NanoLine = {
    actor: world.lines[changed].actor,
    ...(stays ? { act: 'stayed' } : { act: 'moved', place }),
  };
  return { ...world, lines: world.lines.with(changed, line) };
}
