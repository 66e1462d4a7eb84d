/** The published Hi-ToM items that a model of short stories can read. Their files are others' and are never part of the project. */
import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { withWorld } from '../../src/tom/import/derive';
import { importDataset } from '../../src/tom/import/import-dataset';
import type { Item } from '../../src/tom/item';
import { compactPrompt } from '../../src/tom/text/prompts';
import { isShort } from '../../src/tom/worlds/hitom';
import { hiTomTokens, hiTomVocabulary } from '../../src/tom/worlds/hitom-vocabulary';
import { publishedWords } from '../../src/tom/worlds/hitom-words';

/**
 * One-chapter stories with prompts of at most 140 words, from Hi-ToM's own file (JSON or JSONL) and from ToM-RL's, each
 * question of a story once, where `solve` agrees with the label. A word that the vocabulary lacks is told by another of
 * its kind that the item does not have, and the "now" at the end of a claim is left out: neither bears on the answer.
 *
 * @throws Error where the files hold none, or a word of no known kind
 */
export async function readPublishedItems(files: readonly string[]): Promise<Item[]> {
  const found = new Map<string, Item>();
  for (const file of files) {
    const { items } = await importDataset(await openAsBlob(file), { name: basename(file) });
    for (const original of items.filter(({ dataset }) => dataset === 'hitom')) {
      const item = withWorld(inKnownWords(original));
      if (item.world !== undefined && isShort(item)) found.set(compactPrompt(item), item);
    }
  }
  if (found.size === 0) {
    throw new Error(
      `No short Hi-ToM story is in ${files.join(', ') || 'no file'}. Name Hi-ToM's own file and ToM-RL's training file, with a comma between.`,
    );
  }
  return [...found.values()];
}

const vocabulary = new Set(hiTomVocabulary());

function inKnownWords(item: Item): Item {
  const { question, answer, choices = [] } = item;
  const story = item.story.replace(/ now(?=\.)/g, ''); // as ToM-RL ends a claim
  const present = new Set(hiTomTokens([story, question, answer, ...choices].join(' ')));
  const replaced = new Map<string, string>();
  for (const word of present) {
    if (vocabulary.has(word)) continue;
    const other = wordsLike(word).find((known) => !present.has(known));
    if (other === undefined) throw new Error(`${item.id} has too many words like "${word}".`);
    replaced.set(word, other);
    present.add(other);
  }
  const tell = (text: string): string => text.replace(/[^\s.,?:]+/g, (word) => replaced.get(word) ?? word);
  return {
    ...item,
    story: tell(story),
    question: tell(question),
    answer: tell(answer),
    ...(item.choices && { choices: choices.map(tell) }),
  };
}

/** The known words of the kind of an unknown one, which its form tells. */
function wordsLike(word: string): readonly string[] {
  const { people, rooms, containers, food } = publishedWords;
  if (/^(red|green|blue)_/.test(word)) return containers;
  if (word.endsWith('_room')) return rooms;
  if (/^[A-Z][a-z]+$/.test(word)) return people;
  if (/^[a-z_]+$/.test(word)) return food;
  throw new Error(`"${word}" is of no kind that is known.`);
}
