/**
 * Whether an answer is right, by the rule of its data set's own evaluation.
 *
 * Sources: FANToM's lists and yes/no questions (Kim et al. 2023), OpenToM's macro-F1 per question kind (Xu et al.
 * 2024), GSM8K's last number. Left out: answers that only another model can judge.
 */
import type { Item, Scoring } from '../tom/item';
import { numbersIn } from '../tom/text/numbers';
import { normalizeAnswer } from './completion';

/** Strictly right: by the item's own rule, and equal to the gold answer after normalising where it has none. */
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

/** FANToM's lists: every right name occurs and no wrong one does; with nobody to name, something must still be said. */
export function namesRight(answer: string, right: readonly string[], wrong: readonly string[]): boolean {
  const said = answer.toLowerCase();
  const occurs = (name: string): boolean => said.includes(name.toLowerCase());
  return said.trim() !== '' && right.every(occurs) && !wrong.some(occurs);
}

/** FANToM's yes/no: by yes, no, knows and does not know; null for anything else, and for both at once. */
export function readBinary(answer: string): 'yes' | 'no' | null {
  const said = ` ${answer
    .toLowerCase()
    .replace(/[^a-z' ]/g, ' ')
    .replace(/\s+/g, ' ')} `;
  const no = / no | does not know | doesn't know | false /.test(said);
  const yes = / yes | true /.test(said) || (!no && / knows /.test(said));
  return yes === no ? null : yes ? 'yes' : 'no';
}

/** Index of the one class that an answer names; null when it names none or several. A class within another yields. */
export function classNamed(answer: string, classes: readonly string[]): number | null {
  const said = ` ${normalizeAnswer(answer)} `;
  const named = classes
    .map((name, index) => ({ name: ` ${normalizeAnswer(name)} `, index }))
    .filter(({ name }) => said.includes(name));
  const whole = named.filter(
    ({ name }) => !named.some((other) => other.name !== name && other.name.includes(name)),
  );
  return whole.length === 1 ? whole[0].index : null;
}

/**
 * Mean over the classes that occur of each class's F1, and the fraction of answers that could not be read. An unread answer
 * counts against its gold class, not in silence.
 */
export function macroF1(
  gold: readonly number[],
  predicted: readonly (number | null)[],
): { macroF1: number; corruption: number } {
  const classes = [...new Set(gold)];
  const scores = classes.map((name) => {
    const hits = gold.filter((label, index) => label === name && predicted[index] === name).length;
    const claimed = predicted.filter((label) => label === name).length;
    const there = gold.filter((label) => label === name).length;
    return (2 * hits) / (claimed + there);
  });
  const unread = predicted.filter((label) => label === null).length;
  return {
    macroF1: scores.length === 0 ? 0 : scores.reduce((sum, score) => sum + score, 0) / scores.length,
    corruption: predicted.length === 0 ? 0 : unread / predicted.length,
  };
}

/** Gold and predicted classes of answers to items scored by class. */
export function classesOf(answers: readonly { item: Item; answer: string | null }[]): {
  gold: number[];
  predicted: (number | null)[];
} {
  const scored = answers.flatMap(({ item, answer }) =>
    item.scoring?.rule === 'classes' ? [{ gold: item.answer, answer, scoring: item.scoring }] : [],
  );
  const named = (text: string | null, scoring: Scoring & { rule: 'classes' }): number | null => {
    return text === null ? null : classNamed(text, scoring.classes);
  };
  return {
    gold: scored.map(({ gold, scoring }) => named(gold, scoring) ?? -1),
    predicted: scored.map(({ answer, scoring }) => named(answer, scoring)),
  };
}
