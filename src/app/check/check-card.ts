/** What a computer was found to do, on one picture to send. */
import type { ComputerCheck } from '../../../workers/protocol';
import { defaultPreset } from '../../run/config/presets';
import { card, cardWidth, quiet, text } from '../verdict/card-drawing';
import { presetNames } from '../start/preset-descriptions';
import { computerVerdict, presetVerdict } from './check-words';

/** One of each size; the list on the page has all. */
const shownPresets = [defaultPreset, 'nano-order-1', 'swap-100k', 'swap-398k', 'hitom-mini', 'tom-rl'];
const lineCharacters = 100;

export function checkCard(check: ComputerCheck): string {
  const day = new Date(check.checkedAt).toISOString().slice(0, 10);
  const verdict = wrapped(computerVerdict(check));
  const rows = shownPresets.flatMap((preset, row) => {
    const y = 190 + 24 * verdict.length + 46 * row;
    return [
      text(40, y, presetNames[preset], 17, { weight: 600 }),
      text(cardWidth - 40, y, preset, 13, { anchor: 'end', hue: quiet }),
      text(40, y + 20, wrapped(presetVerdict(preset, check))[0], 15),
    ];
  });
  return card([
    text(40, 56, 'Marble', 22, { weight: 700 }),
    text(cardWidth - 40, 56, day, 16, { anchor: 'end', hue: quiet }),
    text(40, 104, 'What this computer can train', 32, { weight: 600, serif: true }),
    text(40, 132, check.adapter === null ? 'No WebGPU in this browser: on the CPU' : check.adapter, 15, {
      hue: quiet,
    }),
    ...verdict.map((line, row) => text(40, 166 + 24 * row, line, 17)),
    ...rows,
  ]);
}

function wrapped(words: string): string[] {
  const lines = [''];
  for (const word of words.split(' ')) {
    const line = lines[lines.length - 1];
    if (line.length + word.length >= lineCharacters) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines;
}
