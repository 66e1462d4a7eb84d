/**
 * Correctness of an answer by the rule of its data set's official evaluation.
 *
 * Sources: FANToM's lists and yes/no questions (Kim et al. 2023), OpenToM's macro-F1 per question kind (Xu et al.
 * 2024), GSM8K's last number. Left out: answers that need a model as judge.
 */
import type { Item } from '../tom/item';
import { numbersIn } from '../tom/text/numbers-in';
import { normalizeAnswer } from '../tom/text/normalize-answer';

/** Judges an answer by the item's scoring rule. Without a rule it must equal the gold answer after normalising. */
export function isRight(answer: string | null, item: Item): boolean {
  if (answer === null) return false;
  const { scoring } = item;
  if (scoring === undefined)
    return normalizeAnswer(item.answer) !== '' && normalizeAnswer(answer) === normalizeAnswer(item.answer);
  switch (scoring.rule) {
    case 'names':
      return namesRight(answer, scoring.right, scoring.wrong);
    case 'binary':
      return readBinary(answer) === item.answer;
    case 'classes': {
      const named = classNamed(answer, scoring.classes);
      return named !== null && named === classNamed(item.answer, scoring.classes);
    }
    case 'number': {
      const number = numbersIn(answer).at(-1);
      return number !== undefined && number === numbersIn(item.answer).at(-1);
    }
  }
}

/** FANToM's list rule: the answer is not empty and contains every right name and no wrong name. */
export function namesRight(answer: string, right: readonly string[], wrong: readonly string[]): boolean {
  const text = answer.toLowerCase();
  const occurs = (name: string): boolean => text.includes(name.toLowerCase());
  return text.trim() !== '' && right.every(occurs) && !wrong.some(occurs);
}

/** FANToM's binary rule: reads yes or no, true or false, knows or does not know. Null for neither and for both. */
export function readBinary(answer: string): 'yes' | 'no' | null {
  const text = ` ${answer
    .toLowerCase()
    .replace(/[^a-z' ]/g, ' ')
    .replace(/\s+/g, ' ')} `;
  const no = / no | does not know | doesn't know | false /.test(text);
  const yes = / yes | true /.test(text) || (!no && / knows /.test(text));
  return yes === no ? null : yes ? 'yes' : 'no';
}

/**
 * Index of the class that an answer names; null for none and for several. A class name contained in another named class
 * does not count.
 */
export function classNamed(answer: string, classes: readonly string[]): number | null {
  const text = ` ${normalizeAnswer(answer)} `;
  const named = classes
    .map((name, index) => ({ name: ` ${normalizeAnswer(name)} `, index }))
    .filter(({ name }) => text.includes(name));
  const whole = named.filter(
    ({ name }) => !named.some((other) => other.name !== name && other.name.includes(name)),
  );
  return whole.length === 1 ? whole[0].index : null;
}

/**
 * Mean F1 over the gold classes of the answers to items with a `classes` rule, and the fraction of unreadable answers
 * (`corruption`). An unreadable answer lowers the recall of its gold class.
 *
 * @returns null if no item has such a rule
 */
export function macroF1(
  answers: readonly { item: Item; answer: string | null }[],
): { macroF1: number; corruption: number } | null {
  const scored = answers.flatMap(({ item: { scoring, answer: gold }, answer }) =>
    scoring?.rule === 'classes'
      ? [
          {
            gold: classNamed(gold, scoring.classes) ?? -1,
            predicted: answer === null ? null : classNamed(answer, scoring.classes),
          },
        ]
      : [],
  );
  if (scored.length === 0) return null;
  const count = (fits: (one: (typeof scored)[number]) => boolean): number => scored.filter(fits).length;
  const scores = [...new Set(scored.map(({ gold }) => gold))].map((name) => {
    const hits = count(({ gold, predicted }) => gold === name && predicted === name);
    return (2 * hits) / (count(({ predicted }) => predicted === name) + count(({ gold }) => gold === name));
  });
  return {
    macroF1: scores.reduce((sum, score) => sum + score, 0) / scores.length,
    corruption: count(({ predicted }) => predicted === null) / scored.length,
  };
}
