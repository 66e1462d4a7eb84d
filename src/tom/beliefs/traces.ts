/**
 * Gold traces in plain English, in which every sentence is true:
 *
 *     full    At first the pear is in the red_box. Ann and Bob saw that. Ann moved the pear to the blue_jar. Ann saw that. …
 *             So Bob thinks that Ann thinks that the pear is in the blue_jar.
 *     short   What decides it: Ann moved the pear to the blue_jar. So …
 *     direct  nothing
 *
 * `briefTraces` uses fewer words. It covers questions about a belief about a place in one room:
 *
 *     full    At first the pear is in the box. Ann saw that. Ann left. Bob moved it to the jar. Ann didn't see that. …
 *             So Ann thinks it is in the box.
 *     short   So …
 *
 * A full trace reports every action that showed the place of the thing in question to at least one person. It names the
 * agents of the question who saw it.
 */
import { decidingShowing } from './belief';
import type { Verbosity } from '../item';
import type { Showing } from './simulate';
import { listed } from '../text/story-text';
import type { World } from './world';

export function tellTraces(
  world: World,
  allShowings: readonly Showing[],
  answer: string,
): Record<Verbosity, string> {
  const { question } = world;
  const needed = neededShowings(world, allShowings);
  const sentences = needed.flatMap((showing, index) => {
    const clause = eventClause(world, showing, index === 0);
    const sentence =
      index === 0 && isLocation(world)
        ? `At first ${clause}.`
        : `${clause[0].toUpperCase()}${clause.slice(1)}.`;
    return question.chain.length === 0 ? [sentence] : [sentence, `${seersOf(world, showing)} saw that.`];
  });
  const deciding =
    question.chain.length > 0 ? decidingShowing(allShowings, question) : decidingShowing(needed, question);
  const decides = deciding === undefined ? [] : [`What decides it: ${eventClause(world, deciding, false)}.`];
  return tracesOf(sentences, [...decides, `So ${conclusionOf(world, answer)}.`], answer);
}

/** @param short sentences of the short trace, whose last one also ends the full trace */
function tracesOf(sentences: string[], short: string[], answer: string): Record<Verbosity, string> {
  const direct = `</think> <answer> ${answer} </answer>`;
  return {
    full: [...sentences, short.at(-1), direct].join(' '),
    short: [...short, direct].join(' '),
    direct,
  };
}

export function briefTraces(
  world: World,
  allShowings: readonly Showing[],
  answer: string,
): Record<Verbosity, string> {
  const { chain, thing } = world.question;
  const needed = neededShowings(world, allShowings);
  const sentences = world.actions.flatMap((action, index) => {
    if (action.act === 'exit' && chain.includes(action.who)) return [`${action.who} left.`];
    const showing = needed.find((candidate) => candidate.action === index);
    if (showing === undefined) return [];
    const seers = chain.filter((agent) => showing.reaches([agent]));
    return [
      action.act === 'move'
        ? `${action.who} moved it to the ${action.place}.`
        : `At first the ${thing} is in the ${showing.value}.`,
      seers.length === 0 ? `${listed(chain)} didn't see that.` : `${listed(seers)} saw that.`,
    ];
  });
  const minds = chain.map((agent) => `${agent} thinks `).join('');
  return tracesOf(sentences, [`So ${minds}it is in the ${answer}.`], answer);
}

/**
 * One showing for each action that showed the property in question. A belief needs all of them, including tellings. A
 * question about reality needs only those that changed the property.
 */
export function neededShowings({ question }: World, allShowings: readonly Showing[]): Showing[] {
  const about = allShowings.filter(
    ({ thing, property }) => thing === question.thing && property === question.property,
  );
  const oneEach = about.filter(({ action }, index) => about[index + 1]?.action !== action);
  if (question.chain.length > 0) return oneEach;
  const real = oneEach.filter((showing) => showing.real);
  return real.filter(({ value }, index) => value !== real[index - 1]?.value);
}

/** The fact that an action showed, as a clause that `checkTrace` can parse. */
function eventClause(world: World, showing: Showing, first: boolean): string {
  const { actions, question } = world;
  const action = actions[showing.action];
  const thing = `the ${question.thing}`;
  if (showing.value === null) return `${thing} was taken away`;
  const plain = `${thing} is in the ${showing.value}`;
  if (first && isLocation(world)) return plain;
  switch (action.act) {
    case 'change':
      return question.property === 'state' ? `${action.who} ${action.state}` : plain;
    case 'move':
      return question.property === 'place' ? `${action.who} moved ${thing} to the ${action.place}` : plain;
    case 'carry':
      return `${action.who} moved ${thing} to the ${action.room}`;
    case 'tell':
      if (question.property === 'topic')
        return `${action.who} told ${action.to ?? 'all who were there'} about ${thing}`;
      return `${action.who} ${action.to === null ? 'claimed' : `told ${action.to}`} that ${thing} is in the ${action.value}`;
    case 'enter':
      return `${listed(action.who)} entered the ${action.room}`;
    case 'announce':
    case 'exit':
    case 'stay':
    case 'noise':
      return plain;
  }
}

function isLocation({ question }: World): boolean {
  return question.property === 'place' || question.property === 'room';
}

function seersOf({ question }: World, showing: Showing): string {
  const seers = question.chain.filter((agent) => showing.reaches([agent]));
  return seers.length === 0 ? 'None of them' : listed(seers);
}

function conclusionOf({ question }: World, answer: string): string {
  if (question.form !== 'value') return `the answer is ${answer}`;
  const minds = question.chain.map((agent) => `${agent} thinks that `).join('');
  const tense = question.when === 'end' ? 'is' : 'was';
  return `${minds}the ${question.thing} ${tense} in the ${answer}`;
}
