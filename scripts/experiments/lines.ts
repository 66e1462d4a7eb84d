/**
 * The files under docs/experiments/ that results are made from: a line of JSON for each finished run, failure or drop.
 * What is read is checked, so that a damaged line is named instead of becoming a number on a page.
 */
import * as v from 'valibot';

const seconds = v.pipe(v.number(), v.minValue(0));
const pair = v.tuple([v.number(), v.number()]);

const counts = v.object({
  count: v.number(),
  correct: v.number(),
  faithful: v.number(),
  shortcutRight: pair,
  shortcutWrong: pair,
  byOrder: v.record(v.string(), pair),
  meanThinkLength: v.number(),
});

const bits = v.pipe(v.string(), v.regex(/^[01]+$/, 'must be of 0 and 1'));

const measurement = v.object({
  greedy: v.pipe(
    v.object({
      correct: bits,
      trace: v.pipe(v.string(), v.regex(/^[fpxec-]+$/, 'must be of f, p, x, e, c and -')),
      shortcut: v.pipe(v.string(), v.regex(/^[01-]+$/, 'must be of 0, 1 and -')),
      order: v.pipe(v.string(), v.regex(/^\d+$/, 'must be of digits')),
      thinkTokens: v.array(v.number()),
    }),
    v.check(
      ({ correct, trace, shortcut, order, thinkTokens }) =>
        [trace, shortcut, order, thinkTokens].every(({ length }) => length === correct.length),
      'must have as many outcomes of each kind',
    ),
  ),
  sampled: v.object({ correct: bits, meanThinkLength: v.number() }),
  others: v.record(v.string(), counts),
});

const runLine = v.pipe(
  v.object({
    id: v.string(),
    config: v.object({ seed: v.number(), steps: v.number() }),
    seconds: v.object({ pretraining: v.nullable(seconds), training: seconds, all: seconds }),
    forecast: v.nullable(v.object({ empty: v.number(), full: v.number(), count: v.number() })),
    before: measurement,
    looks: v.array(v.object({ step: v.number(), benchmark: counts, otherWorld: counts })),
    after: measurement,
    steps: v.record(v.string(), v.array(v.number())),
    /** H7: for each item 1 where words of it were replaced by known ones, else 0. */
    reworded: v.optional(bits),
  }),
  v.check(
    ({ before, after }) =>
      [before, after].every(({ sampled }) => sampled.correct.length === before.greedy.correct.length) &&
      before.greedy.order === after.greedy.order &&
      before.greedy.shortcut === after.greedy.shortcut,
    'must have the same items before and after',
  ),
);

const failureLine = v.object({
  id: v.string(),
  date: v.string(),
  code: v.nullable(v.number()),
  complaint: v.string(),
});

const dropLine = v.object({ id: v.string(), date: v.string(), why: v.string() });

export type RunLine = v.InferOutput<typeof runLine>;
export type FailureLine = v.InferOutput<typeof failureLine>;
/** A planned run that will not be made. */
export type DropLine = v.InferOutput<typeof dropLine>;

export const readRuns = (text: string): RunLine[] => readLines(text, runLine, 'runs.jsonl');
/** H7's lines: `greedy` and `sampled` are on the published items, and there are no looks. */
export const readHitom = (text: string): RunLine[] => readLines(text, runLine, 'hitom.jsonl');
export const readFailures = (text: string): FailureLine[] => readLines(text, failureLine, 'failures.jsonl');
export const readDrops = (text: string): DropLine[] => readLines(text, dropLine, 'drops.jsonl');

/** @throws Error that names the file, the line and what is wrong with it */
function readLines<Schema extends v.GenericSchema>(
  text: string,
  schema: Schema,
  file: string,
): v.InferOutput<Schema>[] {
  return text.split('\n').flatMap((line, index) => {
    if (line === '') return [];
    const place = `Line ${index + 1} of ${file}`;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch (cause) {
      throw new Error(
        `${place} is not JSON. If it was cut off while it was written, delete it and make the run again.`,
        {
          cause,
        },
      );
    }
    const checked = v.safeParse(schema, value);
    if (checked.success) return [checked.output];
    const [issue] = checked.issues;
    throw new Error(
      `${place} cannot be used: ${v.getDotPath(issue) ?? 'the line'}: ${issue.message}. Make that run again.`,
    );
  });
}
