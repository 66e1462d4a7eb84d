/**
 * Correctness of an answer by the rule of its task: FANToM's rules for lists and yes/no questions (Kim et al. 2023), or
 * equality.
 */
import type { Item } from '../tom/item';
import { normalizeAnswer } from './completion';

/** Judges an answer by the item's scoring rule. Without a rule it must equal the gold answer after normalising. */
export function isRight(answer: string | null, item: Item): boolean {
  if (answer === null) return false;
  const { scoring } = item;
  if (scoring?.rule === 'names') return namesRight(answer, scoring.right, scoring.wrong);
  if (scoring?.rule === 'binary') return readBinary(answer) === item.answer;
  return normalizeAnswer(item.answer) !== '' && normalizeAnswer(answer) === normalizeAnswer(item.answer);
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
