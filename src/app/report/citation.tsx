/** BibTeX entry of a run: version, settings, and the link that reproduces it. */
import type { RunRecord } from '../../run/record/run-record';
import { otherProgram } from '../runs/kept-runs';
import { runWords } from '../words/run-words';
import { useSignal } from '@preact/signals';
import { copyText } from '../ui/copy-text';

/**
 * @param link - to the run's settings, seed and backend; empty without one
 * @param ending - ending of the verdict; null without one
 */
export function citation(record: RunRecord, link: string, ending: string | null): string {
  const { config, step, machine } = record;
  const { build, backend } = machine;
  const program = otherProgram(record);
  const day = dayOf(record);
  const facts = [
    `Run of ${day}: ${runWords(config)}`,
    `${step} of ${config.steps} steps`,
    ...(program === null ? [] : [`trained by ${program}`]),
    ...(backend === undefined ? [] : [`on ${backend.backend}`]),
    ...(ending === null ? [] : [`verdict: ${ending}`]),
  ];
  const fields = {
    author: '{Marble contributors}',
    title: '{Marble}: reinforcement learning for small language models in a browser tab',
    version: escaped(build ?? ''),
    year: day.slice(0, 4),
    url: link,
    note: escaped(facts.join('; ')),
  };
  const known = Object.entries(fields).filter(([, value]) => value !== '');
  const lines = known.map(([name, value]) => `  ${name} = {${value}},`);
  return [`@software{marble-${day}-seed-${config.seed},`, ...lines, '}'].join('\n');
}

const dayOf = ({ createdAt }: RunRecord): string => new Date(createdAt).toISOString().slice(0, 10);

const instead: Readonly<Record<string, string>> = { '\\': '/', '{': '(', '}': ')' };

/** Escapes TeX commands, and characters that would end the field. */
function escaped(text: string): string {
  const oneLine = text.replace(/\p{Cc}+/gu, ' ');
  return oneLine.replace(/[#$%&_~^\\{}]/g, (character) => instead[character] ?? `\\${character}`);
}

export function Citation({ text }: { text: string }) {
  const said = useSignal('');
  const copy = async (): Promise<void> => {
    said.value = (await copyText(text)) ? 'Copied.' : 'Copy the text by hand.';
  };
  return (
    <div class="citation stack">
      <pre class="framed" tabIndex={0} aria-label="Entry for BibTeX">
        {text}
      </pre>
      <div class="actions">
        <button onClick={() => void copy()}>Copy</button>
        <span role="status">{said}</span>
      </div>
    </div>
  );
}
