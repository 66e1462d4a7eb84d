/**
 * A story's identity is its text without white space. Two items of a data set with the same story share one id, even
 * from different files, so a split by story never puts one story on both sides.
 */
export function storyIdOf(dataset: string, story: string): string {
  const [first, second] = hashOf(story);
  return `${dataset}-${hexadecimal(first)}${hexadecimal(second)}`;
}

/**
 * FNV-1a of the text without white space, twice with different offsets. @returns two unsigned 32-bit integers, which
 * also serve as a seed
 */
export function hashOf(text: string): [number, number] {
  let first = 0x811c9dc5;
  let second = 0xc2b2ae35;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit <= 32) continue;
    first = Math.imul(first ^ unit, 0x01000193);
    second = Math.imul(second ^ unit, 0x01000193) + unit;
  }
  return [first >>> 0, second >>> 0];
}

function hexadecimal(value: number): string {
  return value.toString(16).padStart(8, '0');
}
