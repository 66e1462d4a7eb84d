/** Readers of rows that hold a question and its answer: GSM8K, and data of the user's own. */
import { normalizeAnswer } from '../text/normalize-answer';
import { numbersIn } from '../text/numbers-in';
import { orderAsked } from '../text/read-question';
import { Columns, hasColumns, shuffledChoices, type DatasetReader } from './reader';
import { shown } from '../../base/untrusted';
import { repeatedOf } from './source-rows';

/** GSM8K, a check for side effects of training: the answer is the number after `####`. */
export const gsm8k: DatasetReader = {
  name: 'gsm8k',
  licence: 'MIT',
  mapping: { story: '(none)', question: 'question', answer: 'the number after #### in answer' },
  fits: (first) =>
    hasColumns(first, 'question', 'answer') && new Columns(first).text('answer').includes('####'),
  read: (row) => {
    const columns = new Columns(row);
    const [, ...marked] = columns.text('answer').split('####');
    const numbers = numbersIn(marked.at(-1) ?? '');
    if (numbers.length !== 1) throw columns.bad('answer', 'does not end with "#### number"');
    return {
      items: [
        {
          story: '',
          question: columns.text('question'),
          answer: String(numbers[0]),
          order: 0,
          scoring: { rule: 'number' },
        },
      ],
    };
  },
};

/** Rows of any data set with a question and an answer, and perhaps a story. */
export const plain: DatasetReader = {
  name: 'own',
  licence: 'your own',
  mapping: {
    story: 'story, if there is one',
    question: 'question',
    answer: 'answer',
    order: 'order, or from the question',
    choices: 'choices (a list, or its JSON in a cell), shuffled',
  },
  fits: (first) => hasColumns(first, 'question', 'answer'),
  read: (row) => {
    const columns = new Columns(row);
    const story = columns.has('story') ? columns.text('story') : '';
    const question = columns.text('question');
    const answer = columns.text('answer');
    const choices = columns.has('choices') ? columns.names('choices') : [];
    if (choices.length > 0) checkChoices(columns, choices, answer);
    const order = columns.has('order') ? columns.integer('order') : orderAsked(question);
    return {
      items: [
        {
          story,
          question,
          answer,
          order,
          ...(choices.length > 0 && { choices: shuffledChoices(choices, story + question) }),
        },
      ],
    };
  },
};

/** @throws `tom/bad-row` unless exactly one choice counts as the answer, and all differ */
function checkChoices(columns: Columns, choices: readonly string[], answer: string): void {
  const twice = repeatedOf(choices);
  if (twice !== undefined) throw columns.bad('choices', `has ${shown(twice)} twice`);
  const right = choices.filter((choice) => normalizeAnswer(choice) === normalizeAnswer(answer)).length;
  if (right !== 1)
    throw columns.bad('choices', `should have the answer ${shown(answer)} once, but has it ${right} times`);
}
