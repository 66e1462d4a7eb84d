/** Numbers as dots in the order of their values. Equal ones form a block, with their count above and their value below. */
import { Fragment } from 'preact';
import { median } from '../../base/statistics';

/** The values of more blocks would not fit below a strip. */
const mostBlocks = 5;

export function DotStrip(props: {
  /** `isTold` is drawn with a ring, for the answer described in words. */
  dots: readonly { value: number; colour: string; isTold: boolean }[];
  label: string;
  /** Formats the value of a block. */
  words: (value: number) => string;
  /** Receives the dot nearest to the click, since a dot is smaller than a finger. */
  onPress: (index: number) => void;
}) {
  const { dots, label, words, onPress } = props;
  const values = dots.map(({ value }) => value);
  const blocks = blocksOf(values, words).map((members) => {
    const value = median(members.map((i) => values[i]));
    return { members, value, isZero: words(value) === '0' };
  });
  if (!blocks.some(({ isZero }) => isZero)) blocks.push({ members: [], value: 0, isZero: true });
  blocks.sort((one, other) => one.value - other.value);
  const span = blocks[blocks.length - 1].value - blocks[0].value;
  const order = blocks.flatMap(({ members }) => members);
  return (
    <div
      class="strip small"
      role="img"
      aria-label={label}
      onClick={({ currentTarget, clientX, clientY }) => {
        const far = Array.from(currentTarget.querySelectorAll('i'), (dot) => {
          const { x, y, width } = dot.getBoundingClientRect();
          return Math.hypot(x + width / 2 - clientX, y + width / 2 - clientY);
        });
        if (far.length > 0) onPress(order[far.indexOf(Math.min(...far))]);
      }}
    >
      {blocks.map(({ members, value, isZero }, place) => (
        <Fragment key={place}>
          {/* The room that is left is shared by the distances between the values. */}
          {place === 0 ? null : <span style={{ flexGrow: (value - blocks[place - 1].value) / span }} />}
          <span class={isZero ? 'zero' : ''}>
            {members.length || null}
            <span>
              {members.map((i) => (
                <i key={i} class={dots[i].isTold ? 'chosen' : ''} style={{ background: dots[i].colour }} />
              ))}
            </span>
            {words(value)}
          </span>
        </Fragment>
      ))}
    </div>
  );
}

/**
 * Groups values that read the same. While there are too many groups for their labels, the closest neighbours join, but
 * never across zero.
 *
 * @returns indices of the values of each group, from the smallest value to the largest
 */
export function blocksOf(values: readonly number[], words: (value: number) => string): number[][] {
  const sideOf = (value: number): number => (words(value) === '0' ? 0 : Math.sign(value));
  const order = values.map((_, i) => i).sort((one, other) => values[one] - values[other]);
  const blocks: number[][] = [];
  for (const i of order) {
    const last = blocks.at(-1);
    if (last !== undefined && words(values[last[0]]) === words(values[i])) last.push(i);
    else blocks.push([i]);
  }
  while (blocks.length > mostBlocks) {
    const widths = blocks.slice(1).map((block, before) => {
      const [low, high] = [values[blocks[before][0]], values[block[block.length - 1]]];
      return sideOf(low) === sideOf(high) ? high - low : Infinity;
    });
    const narrowest = widths.indexOf(Math.min(...widths));
    blocks.splice(narrowest, 2, blocks.slice(narrowest, narrowest + 2).flat());
  }
  return blocks;
}
