/**
 * The slow independent reader of nano stories: it knows the text and nothing else, and shares no code with the
 * simulator. For every sentence it asks again, by reading the story from its first word, who was in the room and where
 * the object was.
 */
export function answerFromText(story: string, question: string): string {
  const sentences = story.split(' . ').map((sentence) => sentence.replace(/ \.$/, '').split(' '));
  const asked = [...question.matchAll(/(\w+) think/g)].map((match) => match[1]);
  let answer = '';
  for (let last = 1; last < sentences.length; last++) {
    const words = sentences[last];
    const showsTheObject = words[1] === 'in' || ['moved', 'stayed', 'entered'].includes(words[1]);
    if (showsTheObject && asked.every((agent) => isInside(agent, sentences.slice(0, last + 1)))) {
      answer = placeAfter(sentences.slice(0, last + 1));
    }
  }
  return answer;
}

function isInside(agent: string, sentences: string[][]): boolean {
  const mine = sentences.filter((words) => words.includes(agent));
  return mine.length > 0 && mine[mine.length - 1].at(-1) !== 'exited';
}

function placeAfter(sentences: string[][]): string {
  for (const words of [...sentences].reverse()) {
    if (words[1] === 'moved' || words[1] === 'in') return words[2];
  }
  return '';
}
