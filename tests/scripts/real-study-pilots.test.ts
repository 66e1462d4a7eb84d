import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { two } from '../../scripts/study/format';
import { fractionOf, jsonLines } from '../../scripts/study/lines';
import type { Answers } from '../../scripts/study/real/rules';

type Pilot = { run: string; 'sampled hard': Answers; 'greedy hard'?: Answers };

it('the table of the pilots of study 3b has the figures of their answers', () => {
  const page = readFileSync('docs/study-3b.md', 'utf8');
  const pilots = jsonLines<Pilot>('docs/study-3b/pilot-answers.jsonl');
  expect(pilots).toHaveLength(4);
  const right = ({ outcomes }: Answers): number => fractionOf(outcomes.correct, '1');
  /** Right with correct reasoning. */
  const faithful = ({ outcomes: { correct, trace } }: Answers): number =>
    fractionOf(
      trace.replaceAll(/./g, (letter, item: number) => (correct[item] === '1' ? letter : ' ')),
      'f',
    );
  for (const { run, 'sampled hard': sampled, 'greedy hard': greedy } of pilots) {
    const cell = (figure: (answers: Answers) => number): string =>
      `${greedy === undefined ? '' : `${two(figure(greedy))} `}(${two(figure(sampled))})`;
    const words = greedy === undefined ? ' ' : ` ${greedy.words.toFixed(0)} `;
    expect(page).toContain(`| ${run} | ${cell(right)} | ${cell(faithful)} |${words}|`);
  }
});
