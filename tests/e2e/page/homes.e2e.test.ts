/** The page in other locations: a static host's subfolder, a Space, and together with the command. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { evaluationsIn, metricsRows } from '../../fixtures/metrics-rows';
import { servePlainly } from '../../fixtures/servers/plain-server';
import { command, installPackage } from '../../package/installed';
import { newProfile, runToEnd, savedEvaluations, savedRows, shortRun } from '../helpers/visitor';

describe('the built folder', () => {
  it('has the card of a static Space, which names its page and the headers for isolation', () => {
    const card = readFileSync(join(inject('folder'), 'README.md'), 'utf8');
    const [, head] = /^---\n(.*?)\n---\n/s.exec(card)!;
    const fields = Object.fromEntries(head.split('\n').map((line) => line.split(': ') as [string, string]));
    expect(fields).toMatchObject({ sdk: 'static', app_file: 'index.html', title: 'Marble' });
    expect(existsSync(join(inject('folder'), fields.app_file))).toBe(true);
    for (const text of [card, readFileSync(join(inject('folder'), '_headers'), 'utf8')]) {
      expect(text).toContain('  cross-origin-opener-policy: same-origin\n');
      expect(text).toContain('  cross-origin-embedder-policy: require-corp\n');
    }
  });

  it(
    'trains below a path of a plain server, and gives the rows of the command for the same link',
    { tags: ['long'], timeout: 480_000 },
    async () => {
      const server = await servePlainly(inject('folder'), '/someone/marble/');
      // A model that is not in the package, so the command downloads it from the page in the link.
      const link = shortRun({ preset: 'ladder-100k', steps: 3, 'evaluation.every': 2 });
      try {
        const page = await (await newProfile()).newPage();
        await page.goto(`${server.address}${link}`);
        await runToEnd(page);
        const rows = await savedRows(page);
        const evaluations = await savedEvaluations(page);
        // Chromium requests a favicon, and the loader requests optional files next to config.json.
        const expected =
          /\/favicon\.ico$|\/marble\/models\/ladder-100k\/(chat_template\.jinja|generation_config\.json)$/;
        expect(server.missing.filter((path) => !expected.test(path))).toEqual([]);
        await page.context().close();

        const project = await installPackage('homes');
        const run = ['--backend', 'wasm', '--out', 'run'];
        const { code, output } = await command(project, 'train', `${server.address}${link}`, ...run);
        expect(output).toContain('Done.');
        expect(code).toBe(0);
        const written = (name: string) => readFileSync(join(project.folder, 'run', name), 'utf8');
        expect(rows).toHaveLength(3);
        expect(metricsRows(written('metrics.csv'))).toEqual(rows);
        expect(evaluations).toHaveLength(3);
        expect(evaluationsIn(written('everything.jsonl'))).toEqual(evaluations);
      } finally {
        await server.close();
      }
    },
  );
});
