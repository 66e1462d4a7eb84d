/**
 * Parses a completion into reasoning and answer and checks its tags. The prompt ends with `<think>`, which is prepended
 * to the completion before the check.
 */

export interface ReadCompletion {
  /** True if each of the four tags occurs exactly once and in order. */
  formatHolds: boolean;
  /** Describes the format's fault in a few words; empty without a fault. */
  formatFault: string;
  /** Text up to the first `</think>`; the whole text without that tag. */
  think: string;
  /** Text of the last answer tag, trimmed; null without an answer tag. */
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

function faultOf(text: string): string {
  let previous = -1;
  for (const tag of TAGS) {
    const first = text.indexOf(tag);
    if (first === -1) return `${tag} is missing`;
    if (text.indexOf(tag, first + 1) !== -1) return `${tag} occurs more than once`;
    if (first < previous) return `${tag} is too early`;
    previous = first;
  }
  return '';
}

function lastAnswer(text: string): string | null {
  const end = text.lastIndexOf('</answer>');
  const start = end === -1 ? -1 : text.lastIndexOf('<answer>', end);
  return start === -1 ? null : text.slice(start + '<answer>'.length, end).trim();
}
