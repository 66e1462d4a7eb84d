/** The trace parser against 100 traces of SmolLM2-135M that were labelled by hand (docs/labelled-traces.jsonl). */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { score } from '../../src/reward/score';
import type { Sample } from '../../src/run/record/sample';
import { outcomeOf } from '../../src/run/verdict/outcomes';
import { readWorld } from '../../src/tom/beliefs/solve';
import { plainItem } from '../tom/items';

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

function isFaithful({ think, story, question }: LabelledTrace): boolean {
  const item = plainItem({ story, question, world: readWorld(story, question) });
  const completion = `${think} </think> <answer> x </answer>`;
  const sample: Sample = {
    ...{ item, group: 0, sample: 0, prompt: [], response: [], samplerLogprobs: new Float32Array() },
    ...{ finished: true, completion, thinkTokens: 0 },
    reward: score(completion, item, { preset: 'logic-rl' }),
  };
  return outcomeOf(sample).trace === 'faithful';
}
