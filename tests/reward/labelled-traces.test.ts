/** The trace parser against 100 traces of SmolLM2-135M that were labelled by hand (docs/labelled-traces.jsonl). */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { checkEnglishTrace } from '../../src/reward/english-trace';
import { score } from '../../src/reward/score';
import type { Sample } from '../../src/run/record/sample';
import { outcomeOf } from '../../src/run/verdict/outcomes';
import type { Item } from '../../src/tom/item';
import { asking, type World, type WitnessedAction } from '../../src/tom/beliefs/world';

interface LabelledTrace {
  story: string;
  question: string;
  think: string;
  /** Every sentence is true, and each move is named once, in order, with its mover and whether the person saw it. */
  correct: boolean;
}

const traces = readFileSync('docs/labelled-traces.jsonl', 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as LabelledTrace);

const agreed = traces.filter((trace) => trace.correct === isFaithful(trace)).length;

it('agrees with the labels as docs/tasks.md says', () => {
  const strict = traces.filter((trace) => trace.correct && !isFaithful(trace)).length;
  const lax = traces.length - agreed - strict;
  expect(readFileSync('docs/tasks.md', 'utf8')).toContain(
    `agree on ${agreed} of ${traces.length}: ${lax} traces are faithful and labelled incorrect, ${strict} are labelled correct and not faithful`,
  );
});

it('finds no false sentence in a trace labelled correct', () => {
  for (const trace of traces.filter(({ correct }) => correct)) {
    const { statements } = checkEnglishTrace(trace.think, worldOf(trace));
    expect(statements.filter(({ verdict }) => verdict === 'false')).toEqual([]);
  }
});

function isFaithful({ think, ...story }: LabelledTrace): boolean {
  const world = worldOf(story);
  const item: Item = {
    ...{ id: 'x', dataset: 'rooms', storyId: 'x', ...story, answer: '', order: 1, kind: 'easy' },
    ...{ shortcuts: {}, world, training: 'allowed' },
  };
  const completion = `${think} </think> <answer> x </answer>`;
  const sample: Sample = {
    ...{ item, group: 0, sample: 0, prompt: [], response: [], samplerLogprobs: new Float32Array() },
    ...{ finished: true, completion, thinkTokens: 0 },
    reward: score(completion, item, { preset: 'logic-rl' }),
  };
  return outcomeOf(sample).trace === 'faithful';
}

function worldOf({ story, question }: Pick<LabelledTrace, 'story' | 'question'>): World {
  let thing = '';
  const actions = story.split(/(?<=\.) /).map((sentence): WitnessedAction => {
    const [, people, room] = /^(.+) entered the (\w+)\.$/.exec(sentence) ?? [];
    if (people !== undefined) return { act: 'enter', who: people.split(/, | and /), room };
    const [, first, start] = /^The (\w+) is in the (\w+)\.$/.exec(sentence) ?? [];
    if (first !== undefined) {
      thing = first;
      return { act: 'announce', thing, place: start };
    }
    const [, leaver, left] = /^(\w+) exited the (\w+)\.$/.exec(sentence) ?? [];
    if (leaver !== undefined) return { act: 'exit', who: leaver, room: left };
    const [, who, moved, place] = /^(\w+) moved the (\w+) to the (\w+)\.$/.exec(sentence)!;
    return { act: 'move', who, thing: moved, place };
  });
  const [, person] = /^Where does (\w+) think /.exec(question)!;
  return { rules: 'open', actions, question: asking([person], thing) };
}
