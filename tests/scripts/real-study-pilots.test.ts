import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Answers } from '../../scripts/study/real/measure';

const docs = join(import.meta.dirname, '..', '..', 'docs');

type Pilot = { run: string; 'sampled hard': Answers; 'greedy hard'?: Answers };

it('the table of the pilots of study 3b has the figures of their answers', () => {
  const page = readFileSync(join(docs, 'study-3b.md'), 'utf8');
  const lines = readFileSync(join(docs, 'study-3b', 'pilot-answers.jsonl'), 'utf8')
    .trim()
    .split('\n');
  expect(lines).toHaveLength(4);
  for (const { run, 'sampled hard': sampled, 'greedy hard': greedy } of lines.map(
    (line) => JSON.parse(line) as Pilot,
  )) {
    const cell = (figure: (answers: Answers) => number): string =>
      `${greedy === undefined ? '' : `${two(figure(greedy))} `}(${two(figure(sampled))})`;
    const words = greedy === undefined ? ' ' : ` ${greedy.words.toFixed(0)} `;
    expect(page).toContain(`| ${run} | ${cell(right)} | ${cell(faithful)} |${words}|`);
  }
});

const two = (share: number): string => share.toFixed(2).replace(/^0/, '');

const share = (answers: Answers, holds: (item: number) => boolean): number => {
  const { length } = answers.outcomes.correct;
  return Array.from({ length }, (_, item) => item).filter(holds).length / length;
};

const right = (answers: Answers): number => share(answers, (item) => answers.outcomes.correct[item] === '1');

/** Right with correct reasoning. */
const faithful = (answers: Answers): number =>
  share(answers, (item) => answers.outcomes.correct[item] === '1' && answers.outcomes.trace[item] === 'f');
