/**
 * Writes docs/results.md and its figures anew from the lines under docs/experiments/ and nothing else. It works with any
 * part of the runs finished.
 *
 *   npm run experiments:results
 *   npm run experiments:results -- --default-start     prints the id of the start that the page opens with
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { DEFAULT_RANK, defaultStart } from './hypotheses/demonstration';
import { readDrops, readFailures, readHitom, readRuns } from './lines';
import { runs } from './plan';
import { resultsPage } from './results-page';
import { createStudy } from './study';

const FOLDER = 'docs/experiments';
const FIGURES = `${FOLDER}/figures`;
const PAGE = 'docs/results.md';
/** What the app says of the forecast. */
const FORECAST_RECORD = 'src/run/forecast-record.json';

function contentOf(file: string): string | null {
  const path = `${FOLDER}/${file}`;
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}

const { values } = parseArgs({ options: { 'default-start': { type: 'boolean', default: false } } });
const lines = readRuns(contentOf('runs.jsonl') ?? '');
const drops = readDrops(contentOf('drops.jsonl') ?? '');

if (values['default-start']) {
  const demonstrationLines = lines.filter(({ id }) =>
    runs.some((plan) => plan.id === id && plan.hypotheses.some((name) => name === 'H1' || name === 'H1b')),
  );
  const chosen = defaultStart(createStudy(runs, demonstrationLines));
  if (chosen === null) {
    console.error(
      'The default start is not chosen yet. Make the runs of H1: npm run experiments -- --only H1',
    );
    process.exitCode = 1;
  } else console.log(chosen.ranked[DEFAULT_RANK - 1].id);
} else {
  const study = createStudy(runs, lines, { dropped: drops.map(({ id }) => id) });
  const { markdown, figures, forecastRecord } = resultsPage(study, {
    failures: readFailures(contentOf('failures.jsonl') ?? ''),
    drops,
    hitom: readHitom(contentOf('hitom.jsonl') ?? ''),
  });
  rmSync(FIGURES, { recursive: true, force: true });
  mkdirSync(FIGURES, { recursive: true });
  for (const [name, svg] of Object.entries(figures)) writeFileSync(`${FIGURES}/${name}`, svg);
  writeFileSync(PAGE, markdown);
  if (forecastRecord !== null) writeFileSync(FORECAST_RECORD, `${JSON.stringify(forecastRecord, null, 2)}\n`);
  console.log(`${PAGE}: ${study.made.size} of ${runs.length} runs, ${Object.keys(figures).length} figures.`);
}
