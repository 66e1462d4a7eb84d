/**
 * The vocabulary of hitom-mini: every word and every punctuation mark of Hi-ToM's stories and questions, published ones
 * as well as those of `hitom-short` and `hitom-long`, and of their gold traces. One word is one token; so is a mark,
 * although no space stands before it.
 */
import { publishedWords } from './hitom-words';
import { END_TOKEN, PAD_TOKEN, TAGS } from './swap';

export const HITOM_MARKS = ['.', ',', '?', ':'] as const;

const STORY_WORDS =
  'and entered the waiting_room The is in moved to made no movements stayed for 1 minute exited publicly claimed that privately told likes dislikes'.split(
    ' ',
  );
const QUESTION_WORDS = ['Where', 'really', 'does', 'think', 'thinks'];
const TRACE_WORDS = ['At', 'first', 'saw', 'None', 'of', 'them', 'So', 'What', 'decides', 'it'];

/** All tokens, the index being the id: the two special tokens first, then the tags (ordinary words here). */
export function hiTomVocabulary(): string[] {
  const { people, rooms, containers, food, incidents } = publishedWords;
  const incidentWords = incidents.flat().flatMap((incident) => incident.split(' '));
  const words = [
    ...STORY_WORDS,
    ...QUESTION_WORDS,
    ...TRACE_WORDS,
    ...incidentWords,
    ...people,
    ...rooms,
    ...containers,
    ...food,
  ];
  return [...new Set([PAD_TOKEN, END_TOKEN, ...TAGS, ...HITOM_MARKS, ...words])];
}

/** A text as its words and marks, whether or not the vocabulary has them. */
export function hiTomTokens(text: string): string[] {
  return text.match(/[^\s.,?:]+|[.,?:]/g) ?? [];
}
