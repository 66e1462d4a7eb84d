import { describe, expect, it } from 'vitest';
import { checkTrace, score } from '../../src/reward/score';
import { namesOf } from '../../src/reward/claim-patterns';
import type { TraceStatement } from '../../src/reward/types';
import { generatorNames } from '../../src/tom/worlds/generate';
import { itemWorld } from '../../src/tom/worlds/item-world';
import { readWorld } from '../../src/tom/beliefs/solve';
import type { World } from '../../src/tom/beliefs/world';
import { itemsOf, plainItem } from '../tom/items';
import { sampled } from '../fixtures/sample';

const story = [
  'Ann, Bob and Cyd entered the attic.',
  'The pear is in the red_box.',
  'Ann moved the pear to the blue_jar.',
  'Ann exited the attic.',
  'Bob moved the pear to the green_bag.',
  'Bob exited the attic.',
  'Cyd made no movements and stayed in the attic for 1 minute.',
  'Cyd exited the attic.',
  'Ann, Bob and Cyd entered the waiting_room.',
  'Bob publicly claimed that pear is in the tin_can.',
].join('\n');
const question = 'Where does Cyd think Ann thinks the pear is?';
const world = readWorld(story, question);
const item = plainItem({ dataset: 'hitom', story, question, answer: 'blue_jar', order: 2, world });
/** Two false sentences about moves, in the words of the gold traces. */
function falsehoodsOf(world: World): string {
  const { agents, places } = namesOf(world);
  const moves = world.actions.map((action) => {
    if (action.act === 'move') return `${action.who} ${action.place}`;
    return action.act === 'carry' ? `${action.who} ${action.room}` : '';
  });
  return agents
    .flatMap((who) => places.map((place) => `${who} ${place}`))
    .filter((move) => !moves.includes(move))
    .slice(0, 2)
    .map((move) => `${move.replace(' ', ` moved the ${world.question.thing} to the `)}.`)
    .join(' ');
}

const verdicts = (think: string): string[] =>
  checkTrace(think, item)!.statements.map(({ verdict }: TraceStatement) => verdict);

describe('a trace that could cause slow regular expressions', () => {
  it('is parsed quickly: long runs of asterisks, spaces and full stops', () => {
    for (const sign of ['*', ' ', '.', '?']) {
      const long = sign.repeat(300_000);
      expect(verdicts(`a${long}b${long}`)).toEqual(verdicts(`a${long}b`));
      expect(verdicts(`- 1. Bob left the attic.${long}`)).toEqual(['true']);
    }
  });

  it.each(['And', 'Both', 'Ann_Bob'])('is parsed quickly: a list with the ambiguous name %s', (name) => {
    const told = `Ann, Bob and ${name} entered the attic.\nThe pear is in the red_box.\nAnn exited the attic.`;
    const named = { ...item, world: readWorld(told, 'Where does Ann think the pear is?') };
    const list = `Ann and ${'Bob and Ann '.repeat(6)}${`${name} `.repeat(60)}`;
    const think = `${list}will come. Ann left the attic. Ann and Bob entered the attic.`;
    const { statements } = checkTrace(think, named)!;
    expect(statements.map(({ verdict }) => verdict)).toEqual(['unread', 'true', 'true']);
  });
});

describe('claims of a trace in free English', () => {
  it.each([
    ['Initially, the pear is in the red box.', ['true']],
    ['The pear was initially in the blue jar.', ['false']],
    ['Then Bob put it into the green bag.', ['true']],
    ['Ann moves the pear from the red box to the green bag.', ['false']],
    ['Ann moves the pear from the red box to the blue jar.', ['true']],
    ['Ann moves the pear from the tin can to the blue jar.', ['false']],
    ['Ann moves the pear from where it was to the blue jar.', ['true']],
    ['Cyd moved the pear to the blue jar.', ['false']],
    ['Bob left the attic.', ['true']],
    ['Bob left the kitchen.', ['unread']],
    ['Ann, Bob and Cyd left the attic.', ['true']],
    ['Ann and Bob left the waiting room.', ['false']],
    ['Dan entered the attic.', ['unread']],
    ['Bob claimed that the pear is in the tin can.', ['true']],
    ['Ann claimed that the pear is in the tin can.', ['false']],
    ['The pear is really in the green bag.', ['true']],
    ['The pear is now in the blue jar.', ['false']],
    ['Ann thinks the pear is in the tin can.', ['true']],
    ['Ann believes that the pear is in the green bag.', ['false']],
    ['Cyd does not know that the pear is in the green bag.', ['false']],
    ['Cyd does not know that Ann thinks the pear is in the green bag.', ['true']],
    ['Cyd does not think that Ann does not know that the pear is in the blue jar.', ['true']],
    ['Cyd does not think that Ann thinks that the pear is in the blue jar.', ['false']],
    ['Bob and Cyd think that the pear is in the green bag.', ['true']],
    ['Ann and Bob think that the pear is in the green bag.', ['false']],
    ['Ann will look for the pear in the tin can.', ['true']],
    ['Cyd thinks that Ann will search for the pear in the blue jar.', ['true']],
    ['The answer is the red box.', ['false']],
    ['I wonder what happens next.', ['unread']],
    ['', []],
    ['Cyd stayed in the attic for 1 minute.', ['true']],
    ['Bob stayed in the attic.', ['false']],
    ['What decides it: Ann moved the pear to the blue jar.', ['true']],
    ['What decides it: Bob moved the pear to the green bag.', ['false']],
    // witnesses of the previous event
    ['Ann moved the pear to the blue jar. Cyd and Ann saw that.', ['true', 'true']],
    ['Bob moved the pear to the green bag. Ann saw it.', ['true', 'false']],
    ['Bob moved the pear to the green bag. Ann did not see it.', ['true', 'true']],
    ['Ann saw that.', ['unread']],
    // the same words about two events
    [
      'Ann moved the pear to the blue jar. Ann saw that. Bob moved the pear to the green bag. Ann saw that.',
      ['true', 'true', 'true', 'false'],
    ],
    [
      'Ann moved the pear to the blue jar. Bob did not see that. Bob moved the pear to the green bag. Bob did not see that.',
      ['true', 'false', 'true', 'false'],
    ],
    ['Bob moved the pear to the green bag. Ann saw that. Ann saw that.', ['true', 'false', 'unread']],
    ['Bob moved the pear to the green bag. Nobody saw it. Nobody saw it.', ['true', 'false', 'unread']],
    // a belief at the point that the trace has reached
    ['Ann moved the pear to the blue jar. Bob thinks the pear is in the blue jar.', ['true', 'true']],
    ['Bob moved the pear to the green bag. Bob thinks the pear is in the blue jar.', ['true', 'false']],
    [
      'Ann moved the pear to the blue jar. Bob thinks the pear is in the blue jar. Bob moved the pear to the green bag. Bob thinks the pear is in the blue jar.',
      ['true', 'true', 'true', 'false'],
    ],
    [
      '1. **Ann** moved the pear to the blue_jar.\n2. Bob moved the pear to the red box.\n- hm',
      ['true', 'false', 'unread'],
    ],
  ])('%s is %j', (think, expected) => {
    expect(verdicts(think)).toEqual(expected);
  });

  it('gain nothing by repetition or by facts that the question does not need', () => {
    const { validity, coverage } = checkTrace('Ann moved the pear to the blue jar.', item)!;
    expect(checkTrace('Ann moved the pear to the blue jar. '.repeat(9), item)).toMatchObject({ validity, coverage }); // prettier-ignore
    const others = 'Ann left the attic. Bob left the attic. Cyd stayed in the attic.';
    expect(checkTrace(others, item)).toMatchObject({ validity: 1, coverage: 0 });
  });

  const checked = (question: string, think: string, told = story) =>
    checkTrace(think, { ...item, world: readWorld(told, question) });

  it('cover each event of a question about reality once, regardless of who noticed it', () => {
    const events = ['At first the pear is in the red box.', 'Ann moved the pear to the blue jar.', 'Bob moved it to the green bag.']; // prettier-ignore
    for (const noticing of ['', ' None of them saw that.', ' Ann, Bob and Cyd saw that.', ' Dan saw it.'])
      expect(checked('Where is the pear really?', events.map((one) => one + noticing).join(' '))!.coverage).toBe(1); // prettier-ignore
  });

  it.each([
    ['the beginning of another thing', 'Initially the plum is in the tin_can.', 0],
    ['the room in place of the container', 'At first the pear is in the attic.', 0],
    ['one of two who missed it', 'Bob moved the pear to the green bag. Ann didn’t see it.', 1],
    ['both, one by one', 'Bob moved the pear to the green bag. Ann didn’t see it. Dan didn’t see it.', 2],
    ['one of two who saw it', 'Ann moved the pear to the blue jar. Dan saw it.', 1],
    ['both, one by one', 'Ann moved the pear to the blue jar. Dan saw it. Ann saw it.', 2],
  ])('cover what they state: %s', (_, think, facts) => {
    const told = story
      .replace('The pear', 'Dan entered the attic.\nThe plum is in the tin_can.\nThe pear')
      .replace('Bob moved', 'Dan exited the attic.\nBob moved');
    const check = checked('Where does Ann think Dan thinks the pear is?', think, told)!;
    expect(check).toMatchObject({ validity: 1, coverage: facts / 8 });
  });

  const carried =
    'Abel entered the hall. Abel moved the compass to the chest, which is also located in the hall. Dan entered the hall. Abel moved the compass to the den, leaving the chest in its original location. Abel told privately to Dan about the fair.';
  const told = `${story}\nAnn privately told Bob that the pear is in the red_box.`;
  it.each([
    ['In which container will Dan search for the compass?', 'It was taken away.', carried, 1],
    ['Does Dan know about the fair? Answer yes or no.', 'Abel told Dan about it.', carried, 1],
    [question, 'Ann told Bob that the pear is in the red box.', told, 1],
    // A private telling is not public.
    [question, 'Ann publicly told that the pear is in the red box.', told, 0],
    [question, 'Ann told everyone that the pear is in the red box.', told, 0],
    [question, 'Ann claimed that the pear is in the red box.', told, 0],
  ])('%s %s', (asked, think, text, validity) => {
    expect(checked(asked, think, text)!.validity).toBe(validity);
  });

  it('may have names with apostrophes, hyphens and underscores', () => {
    const named = (text: string): string => text.replaceAll('Ann', 'O’Neil').replaceAll('Bob', 'Jo-Ann').replaceAll('Cyd', 'Cy_d'); // prettier-ignore
    const think =
      'Ann moved the pear to the blue jar. Ann and Cyd saw that. Bob moved it to the green bag. Ann saw that. Ann thinks that it is in the tin can.';
    const check = checked(named(question), named(think), named(story))!;
    expect(check.statements.map(({ verdict }) => verdict).join()).toBe('true,true,true,false,true');
  });

  it('may list the names of an answer in any order', () => {
    const list = itemsOf('who-knows', 40).find(({ scoring }) => scoring?.rule === 'names' && scoring.right.length > 1)!; // prettier-ignore
    const names = list.answer.split(', ').toReversed();
    expect(checkTrace(`So the answer is ${names.join(' and ')}.`, list)!.validity).toBe(1);
    expect(checkTrace(`So the answer is ${names[0]}.`, list)!.validity).toBe(0);
  });

  it('are parsed quickly in long nonsense', () => {
    const nonsense = 'Ann thinks that Bob thinks that '.repeat(300) + 'the pear, '.repeat(300);
    const lists = 'Ann and Bob and Cyd think that '.repeat(30) + 'the pear is in the red box.';
    expect(verdicts(`${nonsense}.\n${lists}`)).toEqual(['unread', 'unread']);
  });
});

it.each(generatorNames())(
  'gold traces of $name: the full trace is true and complete, and full >= short >= none > false in reward',
  ({ name }) => {
    for (const made of itemsOf(name, sampled(60, 400), 3)) {
      const total = (think: string): number =>
        score(`${think} </think> <answer> ${made.answer} </answer>`, made, { preset: 'faithful' }).total;
      const [full, short, direct] = [made.traces!.full!, made.traces!.short!, made.traces!.direct!];
      const check = score(full, made, { preset: 'faithful' });
      expect(check.trace).toMatchObject({ validity: 1, coverage: 1 });
      expect(check.correct && check.formatHolds).toBe(true);
      const [long, brief, none] = [full, short, direct].map((trace) => total(trace.split('</think>')[0]));
      expect(long).toBeGreaterThanOrEqual(brief);
      expect(brief).toBeGreaterThanOrEqual(none);
      expect(long).toBeGreaterThan(none);
      const simulated = itemWorld(made);
      if (simulated?.kind === 'story') expect(total(falsehoodsOf(simulated.world))).toBeLessThan(none);
    }
  },
);
