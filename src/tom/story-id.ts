/**
 * A story's identity is its text: two items with the same story share one id wherever they come from, so that a split
 * by story can never put the same story on both sides. FNV-1a, twice 32 bits with different offsets.
 */
export function storyIdOf(dataset: string, story: string): string {
  let first = 0x811c9dc5;
  let second = 0xc2b2ae35;
  for (let at = 0; at < story.length; at++) {
    const unit = story.charCodeAt(at);
    first = Math.imul(first ^ unit, 0x01000193);
    second = Math.imul(second ^ unit, 0x01000193) + at;
  }
  return `${dataset}-${hexadecimal(first)}${hexadecimal(second)}`;
}

function hexadecimal(value: number): string {
  return (value >>> 0).toString(16).padStart(8, '0');
}
