import { h } from 'preact';
import { expect, it, vi } from 'vitest';
import { SenderLine } from '../../../src/app/link/sender-line';
import { createRunView } from '../../../src/app/session/run-view';
import { runFingerprint } from '../../../src/share/run-fingerprint';
import { example } from '../../share/example-config';
import { drawn, textOf } from '../../fixtures/little-dom';

const rowsOf = (count: number, last = 1) =>
  Array.from({ length: count }, (_, index) => ({ step: index + 1, reward: index + 1 === count ? last : 1 }));
type Rows = ReturnType<typeof rowsOf>;
const backend = { backend: 'wasm', reason: '', adapter: null } as const;
const sent = runFingerprint(rowsOf(3000))!;

const lineOf = (fingerprint: string, steps: Rows, all: Rows | null) =>
  h(SenderLine, {
    sent: { fingerprint, backend: 'webgpu' },
    view: createRunView('live', example, { steps, evals: [], alerts: [], rolloutSteps: [] }, { backend }),
    session: { allRecords: () => Promise.resolve(all) },
  });

async function isSaid(words: string, fingerprint: string, own: Rows, all: Rows | null = own): Promise<void> {
  const shown = drawn(lineOf(fingerprint, own, all));
  await vi.waitFor(() => expect(shown.text()).toContain(words));
  shown.close();
}

it('a long run is compared with the sender’s by all of its rows, though the page holds a part of them', async () => {
  await isSaid('Identical to the sender’s run: all 3,000 steps', sent, rowsOf(9000));
  await isSaid('after its first 20 steps', runFingerprint(rowsOf(3000, 2))!, rowsOf(9000));
  const words = 'from step 1 on. The sender’s was computed on webgpu, this one on wasm';
  await isSaid(words, '2.00000000.00000000', rowsOf(2));
  await isSaid('so far (20 steps', runFingerprint(rowsOf(2000))!, rowsOf(9000), null);
  await isSaid('so far (20 steps', runFingerprint(rowsOf(9001))!, rowsOf(9000));
});

it('a run whose first steps the storage has lost is not compared', () => {
  const records = rowsOf(3000).slice(1000);
  expect(textOf(lineOf(sent, records, records))).toBe('');
});
