/**
 * Readers of the data sets: those whose stories `solve` can read (Hi-ToM, ToMi, ExploreToM, and ToM-RL's files of all three),
 * GSM8K, and data of the user's own.
 */
import { normalizeAnswer, numbersIn } from '../text/answers';
import { orderAsked } from '../text/read-question';
import { Columns, hasColumns, shuffledChoices, type DatasetReader, type Draft } from './reader';
import { isRecord, shown } from '../../base/untrusted';
import { repeatedOf } from './source-rows';

/**
 * Hi-ToM in its original and its flat schema. Uses only chain-of-thought labels, because a fifth of the others is
 * wrong.
 */
export const hitom: DatasetReader = {
  name: 'hitom',
  licence: 'Apache-2.0',
  mapping: {
    story: 'story',
    question: 'question',
    answer: 'answer',
    order: 'question_order or order',
    choices: 'choices, shuffled',
    kind: 'story_length and deception',
  },
  fits: (first) => hasColumns(first, 'story', 'question', 'answer', 'deception', 'story_length'),
  read: (columns) => {
    if (columns.has('prompting_type') && !columns.text('prompting_type').startsWith('CoT')) {
      return 'multiple-choice labels (470 of 600 are right)';
    }
    const story = withoutNumbers(columns.text('story'));
    // ToM-RL's copy writes the choices into the question, in an order that leaks the answer; `question_old` has no
    // choices.
    const question = columns.text(columns.has('question_old') ? 'question_old' : 'question');
    const choices = choicesOf(columns);
    return [
      {
        story,
        question,
        answer: columns.text('answer'),
        order: columns.integer(columns.has('order') ? 'order' : 'question_order'),
        kind: kindOfHiToM(columns),
        choices: choices && shuffledChoices(choices, story + question),
      },
    ];
  },
};

/** ToMi as bAbI text, or as rows with a question type. */
export const tomi: DatasetReader = {
  name: 'tomi',
  licence: 'CC-BY-NC 4.0',
  mapping: {
    story: "a question's lines before it, or story",
    question: 'question',
    answer: 'answer',
    order: 'from the question',
    kind: 'question_type, or from the question',
  },
  fits: (first, format) =>
    format === 'babi' || hasColumns(first, 'story', 'question', 'answer', 'question_type'),
  read: (columns) => {
    const question = columns.text('question').trim();
    const order = orderAsked(question);
    const kind = columns.has('question_type') ? columns.text('question_type') : kindOfToMi(question, order);
    return [{ story: columns.text('story'), question, answer: columns.text('answer'), order, kind }];
  },
};

/** ExploreToM; each row gives a structured and an infilled item. Yes/no rows are left out (2,936 yes, 537 no). */
export const exploretom: DatasetReader = {
  name: 'exploretom',
  licence: 'CC-BY-NC 4.0',
  mapping: {
    story: 'story_structure and infilled_story, or story',
    question: 'question',
    answer: 'expected_answer or answer',
    order: 'qprop=nth_order or order',
    kind: 'from qprop=params or params',
  },
  fits: (first) =>
    hasColumns(first, 'story_structure', 'question', 'expected_answer') ||
    hasColumns(first, 'story', 'question', 'answer', 'params'),
  read: (columns) => {
    const original = columns.has('story_structure');
    const question = columns.text('question');
    const answer = columns.text(original ? 'expected_answer' : 'answer');
    if (isYesNo(answer)) return YES_NO;
    const order = columns.integer(original ? 'qprop=nth_order' : 'order');
    const params = columns.any(original ? 'qprop=params' : 'params');
    const kind = /'([a-z_]+-[a-z_]+)/.exec(String(params))?.[1] ?? '';
    const about = { question, answer, order, kind };
    const structured = { ...about, story: columns.text(original ? 'story_structure' : 'story') };
    if (!columns.has('infilled_story')) return [structured];
    return [structured, { ...about, story: columns.text('infilled_story'), dataset: 'exploretom-infilled' }];
  },
};

/** ToM-RL's source names, mapped to data set names. */
const tomRlSources: Record<string, string> = {
  hi_tom: 'hitom',
  '4th-order-ToM': 'hitom',
  tomi: 'tomi',
  explore_tom: 'exploretom',
  explore_tom_structured: 'exploretom',
  explore_tom_infilled: 'exploretom-infilled',
};

/**
 * ToM-RL's files, whose rows come from all three data sets and name their source. The training file (3,200 rows) adds
 * nothing else. The test file (8,060 rows) adds `extra_info` with the order, the kind and ExploreToM's infilled
 * telling. The evaluation file (9,326 rows, CSV) lists that telling and Hi-ToM's fourth order as separate sources,
 * which gives the five columns of the paper's Table 1.
 */
export const tomRl: DatasetReader = {
  name: 'tom-rl',
  licence: 'MIT (rows derive from Hi-ToM, Apache-2.0, and from ToMi and ExploreToM, CC-BY-NC 4.0)',
  mapping: {
    story: 'story; for ExploreToM also extra_info.infilled_story',
    question: 'question',
    answer: 'answer',
    dataset: 'data_source',
    order: 'extra_info.question_order, or from the question',
    kind: 'extra_info, or from the question (ToMi)',
  },
  fits: (first) => hasColumns(first, 'story', 'question', 'answer', 'data_source'),
  read: (columns) => {
    const source = columns.text('data_source');
    if (!Object.hasOwn(tomRlSources, source)) {
      const known = Object.keys(tomRlSources).join(', ');
      throw columns.bad('data_source', `is "${source.slice(0, 40)}", but must be one of ${known}`);
    }
    const dataset = tomRlSources[source];
    const answer = columns.text('answer').trim();
    if (dataset.startsWith('exploretom') && isYesNo(answer)) return YES_NO;
    const question = columns.text('question').trim();
    // The published file has every field in every row, with null for missing values.
    const extra = columns.any('extra_info');
    const more = new Columns({ row: columns.source.row, value: isRecord(extra) ? extra : {} });
    const order = more.has('question_order') ? more.integer('question_order') : orderAsked(question);
    const kind = source === '4th-order-ToM' ? '4th-order' : kindOfToMRl(dataset, more, question, order);
    const structured: Draft = { story: columns.text('story'), question, answer, order, dataset, kind };
    if (dataset !== 'exploretom' || !more.has('infilled_story')) return [structured];
    const infilled = { ...structured, story: more.text('infilled_story'), dataset: 'exploretom-infilled' };
    return [structured, infilled];
  },
};

/** GSM8K, a check for side effects of training: the answer is the number after `####`. */
export const gsm8k: DatasetReader = {
  name: 'gsm8k',
  licence: 'MIT',
  mapping: { story: '(none)', question: 'question', answer: 'the number after #### in answer' },
  fits: (first) =>
    hasColumns(first, 'question', 'answer') && new Columns(first).text('answer').includes('####'),
  read: (columns) => {
    const [, ...marked] = columns.text('answer').split('####');
    const numbers = numbersIn(marked.at(-1) ?? '');
    if (numbers.length !== 1) throw columns.bad('answer', 'does not end with "#### number"');
    return [
      {
        story: '',
        question: columns.text('question'),
        answer: String(numbers[0]),
        order: 0,
        scoring: { rule: 'number' },
      },
    ];
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
  read: (columns) => {
    const story = columns.has('story') ? columns.text('story') : '';
    const question = columns.text('question');
    const answer = columns.text('answer');
    const choices = columns.has('choices') ? columns.names('choices') : [];
    if (choices.length > 0) checkChoices(columns, choices, answer);
    const order = columns.has('order') ? columns.integer('order') : orderAsked(question);
    return [
      {
        story,
        question,
        answer,
        order,
        ...(choices.length > 0 && { choices: shuffledChoices(choices, story + question) }),
      },
    ];
  },
};

function kindOfToMRl(dataset: string, more: Columns, question: string, order: number): string | undefined {
  switch (dataset) {
    case 'hitom':
      return more.has('story_length', 'deception') ? kindOfHiToM(more) : undefined;
    case 'tomi':
      return more.has('question_type2') ? more.text('question_type2') : kindOfToMi(question, order);
    default:
      return more.has('question_type') ? more.text('question_type') : undefined;
  }
}

/** `deception` is a boolean, or text ("True") in a table that was exported as text. */
function kindOfHiToM(columns: Columns): string {
  const isTold = /^true$/i.test(String(columns.any('deception')));
  return `length-${columns.integer('story_length')} ${isTold ? 'told' : 'untold'}`;
}

const YES_NO = 'yes/no questions (mostly yes)';

function isYesNo(answer: string): boolean {
  return /^(yes|no)$|^(knows|does not know) about it$/.test(answer);
}

function withoutNumbers(story: string): string {
  return story
    .replace(/^\d+ /gm, '')
    .replace(/^[\s*]*$/gm, '')
    .trim()
    .replace(/\n+/g, '\n');
}

/** Reads a list, or text such as "A. blue_drawer, B. green_crate, …". */
function choicesOf(columns: Columns): string[] | undefined {
  if (!columns.has('choices')) return undefined;
  if (Array.isArray(columns.any('choices'))) return columns.names('choices');
  return columns
    .text('choices')
    .split(/,\s*/)
    .map((choice) => choice.replace(/^[A-Z]\.\s*/, ''));
}

function kindOfToMi(question: string, order: number): string {
  if (order > 0) return order === 1 ? 'first_order' : 'second_order';
  return question.includes('at the beginning') ? 'memory' : 'reality';
}

/** @throws `tom/bad-row` unless exactly one choice counts as the answer, and all differ */
function checkChoices(columns: Columns, choices: readonly string[], answer: string): void {
  const twice = repeatedOf(choices);
  if (twice !== undefined) throw columns.bad('choices', `has ${shown(twice)} twice`);
  const right = choices.filter((choice) => normalizeAnswer(choice) === normalizeAnswer(answer)).length;
  if (right !== 1)
    throw columns.bad('choices', `should have the answer ${shown(answer)} once, but has it ${right} times`);
}
