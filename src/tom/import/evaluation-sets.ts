/** Readers of the evaluation data sets: FANToM, OpenToM, BigToM and GSM8K. */
import { normalizeAnswer } from '../text/normalize-answer';
import { numbersIn } from '../text/numbers-in';
import { orderAsked } from '../text/read-question';
import { Columns, hasColumns, shuffledChoices, type DatasetReader, type Draft } from './reader';
import { badRow, refuse } from './limits';
import { isRecord, shown } from '../../base/untrusted';
import { repeatedOf, type SourceRow } from './source-rows';

/**
 * FANToM: each row is a set of questions about one conversation. Rules score lists and yes/no questions. Free answers
 * about facts and beliefs need a model as judge and are left out. The short conversation is the story. Yes/no questions
 * about a person who appears only in the full conversation (`no:long`) are left out, as in FANToM's own evaluation.
 */
export const fantom: DatasetReader = {
  name: 'fantom',
  licence: 'evaluation only',
  training: 'forbidden',
  mapping: {
    story: 'short_context',
    question: 'answerability and information access, lists and binary',
    answer: 'correct_answer',
    scoring: 'correct_answer and wrong_answer',
  },
  fits: (first) => hasColumns(first, 'set_id', 'short_context', 'factQA'),
  read: (row) => {
    const columns = new Columns(row);
    const story = columns.text('short_context');
    const fact = columnsOf(row, columns.any('factQA'));
    const target = `Target: ${fact.text('question')}`;
    const information = `Information: ${fact.text('question')} ${fact.text('correct_answer')}`;
    const kinds = [
      ['answerability', target],
      ['infoAccessibility', information],
    ] as const;
    const lists = kinds.flatMap(([kind, about]) => fantomList(row, story, about, kind));
    const binaries = kinds.map(([kind, about]) => fantomBinaries(row, story, about, kind));
    const beliefs = columns.any('beliefQAs');
    const free = Array.isArray(beliefs) ? beliefs.length : 0;
    return {
      items: [...lists, ...binaries.flatMap(({ items }) => items)],
      skipped: [
        'fact questions (free answers)',
        ...Array<string>(free).fill('belief questions (free answers)'),
        ...binaries.flatMap(({ beyond }) => Array<string>(beyond).fill(BEYOND)),
      ],
    };
  },
};

function fantomList(row: SourceRow, story: string, about: string, kind: string): Draft[] {
  const list = new Columns(row).any(`${kind}QA_list`);
  if (list === undefined) return [];
  const question = columnsOf(row, list);
  const right = question.names('correct_answer');
  const wrong = question.names('wrong_answer');
  return [
    {
      story,
      question: `${about}\n${question.text('question')}`,
      answer: right.length === 0 ? 'nobody' : right.join(', '),
      order: 1,
      kind: `${kind}:list`,
      scoring: { rule: 'names', right, wrong },
    },
  ];
}

const BEYOND = 'yes/no questions about the full conversation (no:long)';

/** `beyond` is the number of questions that only the full conversation answers. */
function fantomBinaries(
  row: SourceRow,
  story: string,
  about: string,
  kind: string,
): { items: Draft[]; beyond: number } {
  const name = `${kind}QAs_binary`;
  const value = new Columns(row).any(name) ?? [];
  if (!Array.isArray(value)) throw badRow(row.row, `column "${name}" should be a list of questions`);
  const questions = value.map((entry: unknown) => columnsOf(row, entry));
  const within = questions.filter((question) => question.text('correct_answer') !== 'no:long');
  const items = within.map((question): Draft => {
    const answer = question.text('correct_answer').toLowerCase();
    if (answer !== 'yes' && answer !== 'no')
      throw badRow(row.row, `a binary answer is "${answer.slice(0, 20)}", neither yes nor no`);
    return {
      story,
      question: `${about}\n${question.text('question')}`,
      answer,
      order: 1,
      kind: `${kind}:binary`,
      scoring: { rule: 'binary' },
    };
  });
  return { items, beyond: questions.length - within.length };
}

/** OpenToM: either questions by story id with the stories in a second file, or rows that hold both. */
export const opentom: DatasetReader = {
  name: 'opentom',
  licence: 'CC-BY-NC 4.0, no training',
  training: 'forbidden',
  mapping: {
    story: 'narrative (from meta_data.json)',
    question: 'question',
    answer: 'answer',
    kind: 'type',
    scoring: 'the answers that the kind allows',
  },
  fits: (first) => {
    const [question] = Array.isArray(first.value) ? (first.value as unknown[]) : [];
    return (
      (isRecord(question) && ['question', 'answer', 'type'].every((name) => name in question)) ||
      hasColumns(first, 'narrative', 'question')
    );
  },
  read: (row, companion) => {
    if (!Array.isArray(row.value)) {
      const story = new Columns(row);
      const question = story.any('question');
      return { items: [openToMDraft(row, story, isRecord(question) ? columnsOf(row, question) : story)] };
    }
    const meta = companion.get(row.key ?? '');
    if (meta === undefined) {
      throw refuse(
        'needs-companion',
        `Row ${row.row}: OpenToM's question files hold no stories, and story ${row.key ?? ''} is in no second file.`,
        "Choose OpenToM's meta_data.json together with the questions.",
      );
    }
    const story = new Columns(meta);
    return { items: row.value.map((entry: unknown) => openToMDraft(row, story, columnsOf(row, entry))) };
  },
};

function openToMDraft(row: SourceRow, story: Columns, question: Columns): Draft {
  const answer = question.text('answer');
  const type = question.text('type');
  const grain = /^(yes|no)$/i.test(answer) ? 'coarse' : 'fine';
  const kind = type.startsWith('location') ? `${type} ${grain}` : type;
  return {
    story: story.text('narrative'),
    question: question.text('question'),
    answer,
    order: question.text('question').includes('narrator') ? 0 : type.endsWith('-so') ? 2 : 1,
    kind,
    scoring: { rule: 'classes', classes: openToMClasses(row, story, kind, answer) },
  };
}

function openToMClasses(row: SourceRow, story: Columns, kind: string, answer: string): string[] {
  if (kind.endsWith('coarse')) return ['Yes', 'No'];
  if (kind === 'attitude') return ['positive', 'neutral', 'negative'];
  if (answer.endsWith('full')) return ['more full', 'equally full', 'less full'];
  if (answer.endsWith('accessible')) return ['more accessible', 'equally accessible', 'less accessible'];
  const plot = story.any('plot_info');
  if (!isRecord(plot)) return [answer];
  const places = columnsOf(row, plot);
  const bare = (text: string): string => text.toLowerCase().replace(/^(a|an|the) /, '');
  const [before, after] = [bare(places.text('original_place')), bare(places.text('move_to_place'))];
  // The plot misspells some places that the answers spell correctly ("dinint table"), so the answer's spelling wins.
  return bare(answer) === before ? [bare(answer), after] : [before, bare(answer)];
}

/**
 * BigToM: 19 columns, `;`, no header. Each row gives six conditions: true and false belief, each as forward belief,
 * forward action and backward belief.
 */
export const bigtom: DatasetReader = {
  name: 'bigtom',
  licence: 'MIT',
  training: 'allowed',
  mapping: {
    story: 'column 1 with 2 or 3 (forward), 4 or 5 (backward)',
    question: 'columns 6 and 8',
    answer: 'columns 9 to 14',
    choices: 'the answers of both conditions, shuffled',
  },
  fits: ({ value }) => Array.isArray(value) && value.length === 19,
  read: (row) => {
    const fields = row.value;
    if (!Array.isArray(fields) || fields.length !== 19) throw badRow(row.row, 'does not have 19 columns');
    const texts = fields.map((field: unknown) => (typeof field === 'string' ? field.trim() : ''));
    const missing = texts.slice(0, 14).indexOf('');
    if (missing !== -1) throw badRow(row.row, `column ${missing + 1} is empty`);
    const [story, sees, misses, actsKnowing, actsUnknowing, belief, , action, ...answers] = texts;
    const [believesNew, , doesNew, believesOld, , doesOld] = answers;
    const draft = (kind: string, told: string, question: string, answer: string, other: string): Draft => ({
      story: `${story} ${told}`,
      question,
      answer,
      order: 1,
      kind,
      choices: shuffledChoices([answer, other].sort(), `${story}${question}${told}`),
    });
    return {
      items: [
        draft('forward-belief true', sees, belief, believesNew, believesOld),
        draft('forward-belief false', misses, belief, believesOld, believesNew),
        draft('forward-action true', sees, action, doesNew, doesOld),
        draft('forward-action false', misses, action, doesOld, doesNew),
        draft('backward-belief true', actsKnowing, belief, believesNew, believesOld),
        draft('backward-belief false', actsUnknowing, belief, believesOld, believesNew),
      ],
    };
  },
};

/** GSM8K, a check for side effects of training: the answer is the number after `####`. */
export const gsm8k: DatasetReader = {
  name: 'gsm8k',
  licence: 'MIT',
  training: 'allowed',
  mapping: { story: '(none)', question: 'question', answer: 'the number after #### in answer' },
  fits: (first) =>
    hasColumns(first, 'question', 'answer') && new Columns(first).text('answer').includes('####'),
  read: (row) => {
    const columns = new Columns(row);
    const [, ...marked] = columns.text('answer').split('####');
    const numbers = numbersIn(marked.at(-1) ?? '');
    if (numbers.length !== 1) throw badRow(row.row, 'column "answer" does not end with "#### number"');
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
  training: 'allowed',
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
    const hasStory = columns.has('story') && columns.any('story') !== '';
    const story = hasStory ? columns.text('story') : '';
    const question = columns.text('question');
    const answer = columns.text('answer');
    const choices = columns.has('choices') ? columns.names('choices') : [];
    if (choices.length > 0) checkChoices(row, choices, answer);
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
function checkChoices({ row }: SourceRow, choices: readonly string[], answer: string): void {
  const twice = repeatedOf(choices);
  if (twice !== undefined) throw badRow(row, `column "choices" has ${shown(twice)} twice`);
  const right = choices.filter((choice) => normalizeAnswer(choice) === normalizeAnswer(answer)).length;
  if (right !== 1)
    throw badRow(
      row,
      `column "choices" should have the answer ${shown(answer)} once, but has it ${right} times`,
    );
}

function columnsOf(row: SourceRow, value: unknown): Columns {
  return new Columns({ row: row.row, value });
}
