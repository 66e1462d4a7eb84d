/**
 * Reading a completion: the reasoning, the answer, and whether the tags stand as asked. A completion is what follows
 * the given `<think>`, so the opening tag is put back before anything is counted.
 */

export interface ReadCompletion {
  /** Each of the four tags exactly once and in order. */
  formatHolds: boolean;
  /** In a few words, what the format lacks; empty when it holds. */
  formatFault: string;
  /** Text up to the first `</think>`; all of it when the tag never comes. */
  think: string;
  /** Text of the last answer tag, trimmed; null when there is none. */
  answer: string | null;
}

const TAGS = ['<think>', '</think>', '<answer>', '</answer>'] as const;

export function readCompletion(completion: string): ReadCompletion {
  const text = `<think>${completion}`;
  const formatFault = faultOf(text);
  const end = completion.indexOf('</think>');
  return {
    formatHolds: formatFault === '',
    formatFault,
    think: (end === -1 ? completion : completion.slice(0, end)).trim(),
    answer: lastAnswer(text),
  };
}

/**
 * Lower case, `_` as a space, `.,;:!?` dropped, runs of white space as one space: what ToM-RL compares. A point before a
 * digit stays, so that .5 is not 5, and the minus sign is a hyphen.
 */
export function normalizeAnswer(text: string): string {
  return text
    .toLowerCase()
    .replaceAll('_', ' ')
    .replaceAll('\u2212', '-')
    .replace(/[,;:!?]|\.(?!\d)/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

function faultOf(text: string): string {
  let previous = -1;
  for (const tag of TAGS) {
    const first = text.indexOf(tag);
    if (first === -1) return `${tag} is missing`;
    if (text.indexOf(tag, first + 1) !== -1) return `${tag} stands more than once`;
    if (first < previous) return `${tag} stands too early`;
    previous = first;
  }
  return '';
}

function lastAnswer(text: string): string | null {
  const end = text.lastIndexOf('</answer>');
  const start = end === -1 ? -1 : text.lastIndexOf('<answer>', end);
  return start === -1 ? null : text.slice(start + '<answer>'.length, end).trim();
}
