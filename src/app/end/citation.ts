/** A run as an entry of BibTeX: what made it, with which settings, and the link that makes it again. */
import type { RunRecord } from '../../run/run-record';
import { runName } from '../../share/name';
import type { ChosenBackend } from '../../../workers/protocol';

/**
 * @param link - to the run's settings, seed and backend
 * @param ending - of its verdict; null where there is none, or where it is hidden
 */
export function citation(record: RunRecord, link: string, ending: string | null): string {
  const { build, backend } = record.machine as { build?: string; backend?: ChosenBackend };
  const date = new Date(record.createdAt).toISOString();
  const facts = [
    `Run of ${date.slice(0, 10)}: ${runName(record.config)}`,
    `${record.step} of ${record.config.steps} steps`,
    ...(backend === undefined ? [] : [`on ${backend.backend}`]),
    ...(ending === null ? [] : [`verdict: ${ending}`]),
  ];
  const fields: [name: string, value: string][] = [
    ['title', '{Marble}: reinforcement learning for small language models in a browser tab'],
    ['version', build ?? 'unknown'],
    ['year', date.slice(0, 4)],
    ['url', link],
    ['note', facts.join('; ')],
  ];
  const key = `marble-${record.id.slice(0, 8)}`;
  const lines = fields.map(([name, value]) => `  ${name} = {${name === 'url' ? value : escaped(value)}},`);
  return [`@software{${key},`, ...lines, '}'].join('\n');
}

/** What TeX would read as a command; braces of the title stay, which keep its capital. */
function escaped(text: string): string {
  return text.replace(/[#$%&_~^\\]/g, (character) => (character === '\\' ? '/' : `\\${character}`));
}
