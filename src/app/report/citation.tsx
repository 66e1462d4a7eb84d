/** BibTeX entry of a run: version, settings, and the link that reproduces it. */
import type { RunRecord } from '../../run/record/run-record';
import { otherProgram } from '../runs/kept-runs';
import { runWords } from '../words/run-words';
import { useSignal } from '@preact/signals';
import { copyText } from '../ui/copy-text';
import { reachWords } from '../ui/address-reach';

/**
 * @param link - to the run's settings, seed and backend
 * @param ending - ending of the verdict; null if there is no verdict or it is hidden
 */
export function citation(record: RunRecord, link: string, ending: string | null): string {
  const { config, step, createdAt, machine } = record;
  const { build, backend } = machine;
  const program = otherProgram(record);
  const day = new Date(createdAt).toISOString().slice(0, 10);
  const facts = [
    `Run of ${day}: ${runWords(config)}`,
    `${step} of ${config.steps} steps`,
    ...(program === null ? [] : [`trained by ${program}`]),
    ...(backend === undefined ? [] : [`on ${backend.backend}`]),
    ...(ending === null ? [] : [`verdict: ${ending}`]),
  ];
  const fields = {
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

export const seedsOf = (records: readonly RunRecord[]): number[] =>
  [...new Set(records.map(({ config }) => config.seed))].sort((a, b) => a - b);

/** First and last day of the runs, with their distinct builds and backends. */
export function madeBy(records: readonly RunRecord[]): {
  days: string[];
  builds: string[];
  backends: string[];
} {
  const texts = (of: (machine: RunRecord['machine']) => unknown): string[] => {
    const found = records.map(({ machine }) => of(machine));
    return [...new Set(found)]
      .flatMap((text) => (typeof text === 'string' ? [text.slice(0, 60)] : []))
      .sort();
  };
  const days = records.map(({ createdAt }) => new Date(createdAt).toISOString().slice(0, 10)).sort();
  const [first] = days;
  const last = days[days.length - 1];
  return {
    days: first === last ? [first] : [first, last],
    builds: texts(({ build }) => build),
    backends: texts(({ backend }) => backend?.backend),
  };
}

const instead: Readonly<Record<string, string>> = { '\\': '/', '{': '(', '}': ')' };

/** Escapes TeX commands, and characters that would end the field. */
function escaped(text: string): string {
  const oneLine = text.replace(/\p{Cc}+/gu, ' ');
  return oneLine.replace(/[#$%&_~^\\{}]/g, (character) => instead[character] ?? `\\${character}`);
}

export function Citation({ text }: { text: string }) {
  const said = useSignal('');
  const copy = async (): Promise<void> => {
    said.value = `${(await copyText(text)) ? 'Copied.' : 'Copy the text by hand.'}${reachWords()}`;
  };
  return (
    <div class="citation stack">
      <pre class="framed" tabIndex={0} aria-label="Entry for BibTeX">
        {text}
      </pre>
      <div class="actions on-screen">
        <button onClick={() => void copy()}>Copy</button>
        <span role="status">{said}</span>
      </div>
    </div>
  );
}
