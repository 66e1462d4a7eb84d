/** How to read the tokens of a small world. */
import type { SmallStory } from '../../tom/text/read-small-story';

const keys: Record<SmallStory['kind'], readonly (readonly [tokens: string, meaning: string])[]> = {
  swap: [
    ['start box ;', 'at the start the object lay in the box, and all who are asked about saw it'],
    ['dan jar ;', 'in the next event Dan acted, all who are asked about saw it, and then it lay in the jar'],
    ['none ;', 'not all of them saw the next event'],
    ['so jar', 'therefore the answer is jar'],
  ],
  nano: [
    ['start box seen gus ;', 'at the start the object lay in the box, and of those asked about Gus saw it'],
    ['ann jar seen none ;', 'when Ann had acted it lay in the jar, and none of those asked about saw it'],
    ['gus last jar', 'the last event that all asked about saw was Gus’s, and then it lay in the jar'],
    ['so jar', 'therefore the answer is jar'],
  ],
};

export function GrammarKey({ kind }: { kind: SmallStory['kind'] }) {
  return (
    <>
      <p>How to read such tokens, by examples from other stories:</p>
      <dl class="grammar">
        {keys[kind].map(([tokens, meaning]) => (
          <div key={tokens}>
            <dt class="words">{tokens}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
