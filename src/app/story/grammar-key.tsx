/** How to read the tokens of the swap world. */
const key = [
  ['start box ;', 'at the start the object lay in the box, and all who are asked about saw it'],
  ['dan jar ;', 'in the next event Dan acted, all who are asked about saw it, and then it lay in the jar'],
  ['none ;', 'not all of them saw the next event'],
  ['so jar', 'therefore the answer is jar'],
] as const;

export function GrammarKey() {
  return (
    <>
      <p>How to read such tokens, by examples from other stories:</p>
      <dl class="grammar">
        {key.map(([tokens, meaning]) => (
          <div key={tokens}>
            <dt class="words">{tokens}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
