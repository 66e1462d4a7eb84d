/** The parser of links and a long valid link, for fuzzing. */
import { presets } from '../../src/run/config/presets';
import { decodeLink, encodeLink } from '../../src/share/settings-link';
import type { Parser } from '../fuzz/parsers';

export async function linkParser(): Promise<Parser> {
  const { optimizer, ...preset } = presets['small-llms'];
  const link = await encodeLink({ ...preset, seed: 9, optimizer: { ...optimizer, learningRate: 0.003 } });
  return {
    name: 'link',
    good: new TextEncoder().encode(link),
    read: (bytes) => decodeLink(new TextDecoder().decode(bytes)),
  };
}
