/** Reader of rows of no known data set. */
import { orderAsked } from '../text/read-question';
import { Columns, hasColumns, shuffledChoices, type DatasetReader } from './reader';

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
    const hasStory = columns.has('story') && columns.any('story') !== '';
    const story = hasStory ? columns.text('story') : '';
    const question = columns.text('question');
    const choices = columns.has('choices') ? columns.names('choices') : [];
    const order = columns.has('order') ? Math.max(0, columns.integer('order')) : orderAsked(question);
    return {
      items: [
        {
          story,
          question,
          answer: columns.text('answer'),
          order,
          ...(choices.length > 0 && { choices: shuffledChoices(choices, story + question) }),
        },
      ],
    };
  },
};
