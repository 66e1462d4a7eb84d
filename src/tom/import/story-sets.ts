/** Readers of the data sets whose stories `solve` understands: Hi-ToM, ToMi, ExploreToM and ToM-RL's training file. */
import { orderAsked } from '../read-question';
import { Columns, hasColumns, shuffledChoices, type DatasetReader } from './reader';
import { badRow } from './limits';

/** Hi-ToM's original schema and the flat one; only chain-of-thought labels, since a fifth of the others is wrong. */
export const hitom: DatasetReader = {
  name: 'hitom',
  licence: 'Apache-2.0',
  training: 'allowed',
  mapping: {
    story: 'story',
    question: 'question',
    answer: 'answer',
    order: 'question_order or order',
    choices: 'choices, shuffled',
    kind: 'story_length and deception',
  },
  fits: (first) => hasColumns(first, 'story', 'question', 'answer', 'deception', 'story_length'),
  read: (row) => {
    const columns = new Columns(row);
    if (columns.has('prompting_type') && !columns.text('prompting_type').startsWith('CoT')) {
      return { items: [], skipped: ['multiple-choice labels (470 of 600 are right)'] };
    }
    const story = withoutNumbers(columns.text('story'));
    const question = columns.text('question');
    const choices = choicesOf(columns);
    return {
      items: [
        {
          story,
          question,
          answer: columns.text('answer'),
          order: columns.integer(columns.has('order') ? 'order' : 'question_order'),
          kind: `length-${columns.integer('story_length')} ${columns.any('deception') === true ? 'told' : 'untold'}`,
          ...(choices === null ? {} : { choices: shuffledChoices(choices, story + question) }),
        },
      ],
    };
  },
};

/** ToMi's bAbI text and rows of the same with a question type. */
export const tomi: DatasetReader = {
  name: 'tomi',
  licence: 'CC-BY-NC 4.0',
  training: 'allowed',
  mapping: {
    story: "a question's lines before it, or story",
    question: 'question',
    answer: 'answer',
    order: 'from the question',
    kind: 'question_type, or from the question',
  },
  fits: (first, format) =>
    format === 'babi' || hasColumns(first, 'story', 'question', 'answer', 'question_type'),
  read: (row) => {
    const columns = new Columns(row);
    const question = columns.text('question');
    const order = orderAsked(question);
    const kind = columns.has('question_type') ? columns.text('question_type') : kindOfToMi(question, order);
    return {
      items: [{ story: columns.text('story'), question, answer: columns.text('answer'), order, kind }],
    };
  },
};

/** ExploreToM's columns, each row in its structured and its infilled telling; yes/no rows are left out (2,936 yes, 537 no). */
export const exploretom: DatasetReader = {
  name: 'exploretom',
  licence: 'CC-BY-NC 4.0',
  training: 'allowed',
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
  read: (row) => {
    const columns = new Columns(row);
    const original = columns.has('story_structure');
    const question = columns.text('question');
    const answer = columns.text(original ? 'expected_answer' : 'answer');
    if (/^(yes|no)$|^(knows|does not know) about it$/.test(answer))
      return { items: [], skipped: ['yes/no questions (mostly yes)'] };
    const order = Math.max(0, columns.integer(original ? 'qprop=nth_order' : 'order'));
    const params = columns.any(original ? 'qprop=params' : 'params');
    const kind = typeof params === 'string' ? (/'([a-z_]+-[a-z_]+)/.exec(params)?.[1] ?? '') : '';
    const about = { question, answer, order, kind };
    const structured = { ...about, story: columns.text(original ? 'story_structure' : 'story') };
    if (!columns.has('infilled_story') || columns.any('infilled_story') === '')
      return { items: [structured] };
    return {
      items: [
        structured,
        { ...about, story: columns.text('infilled_story'), dataset: 'exploretom-infilled' },
      ],
    };
  },
};

/** ToM-RL's parquet file: Hi-ToM-like and ExploreToM rows with their source named. */
export const tomRl: DatasetReader = {
  name: 'tom-rl',
  licence: 'MIT (rows derive from Hi-ToM and ExploreToM)',
  training: 'allowed',
  mapping: {
    story: 'story',
    question: 'question',
    answer: 'answer',
    dataset: 'data_source',
    order: 'from the question',
  },
  fits: (first) => hasColumns(first, 'story', 'question', 'answer', 'data_source'),
  read: (row) => {
    const columns = new Columns(row);
    const source = columns.text('data_source');
    const sets: Record<string, string> = { hi_tom: 'hitom', explore_tom: 'exploretom' };
    if (!Object.hasOwn(sets, source))
      throw badRow(row.row, `data_source is "${source.slice(0, 40)}", neither hi_tom nor explore_tom`);
    const question = columns.text('question');
    return {
      items: [
        {
          story: columns.text('story'),
          question,
          answer: columns.text('answer'),
          order: orderAsked(question),
          dataset: sets[source],
        },
      ],
    };
  },
};

function withoutNumbers(story: string): string {
  return story
    .replace(/^\d+ /gm, '')
    .replace(/^[\s*]*$/gm, '')
    .trim()
    .replace(/\n+/g, '\n');
}

/** Either a list, or "A. blue_drawer, B. green_crate, …". */
function choicesOf(columns: Columns): string[] | null {
  if (!columns.has('choices')) return null;
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
