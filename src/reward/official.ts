/**
 * Correctness of an answer by the rule of its data set's official evaluation.
 *
 * Sources: FANToM's lists and yes/no questions (Kim et al. 2023), GSM8K's last number.
 */
import type { Item } from '../tom/item';
import { normalizeAnswer, numbersIn } from '../tom/text/answers';

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
