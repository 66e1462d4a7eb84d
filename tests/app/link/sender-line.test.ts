import { h } from 'preact';
import { beforeAll, expect, it, vi } from 'vitest';
import { SenderLine } from '../../../src/app/link/sender-line';
import { createHeldSteps } from '../../../src/run/record/held-steps';
import { growingHistory } from '../../../src/run/record/history';
import { runFingerprint } from '../../../src/share/run-fingerprint';
import { drawn, stubDocument, textOf } from '../../fixtures/little-dom';

beforeAll(stubDocument);

const rowsOf = (count: number, last = 1) =>
  Array.from({ length: count }, (_, index) => ({ step: index + 1, reward: index + 1 === count ? last : 1 }));
type Rows = ReturnType<typeof rowsOf>;
const sent = runFingerprint(rowsOf(3000))!;

async function isSaid(words: string, fingerprint: string, own: Rows, all: Rows | null = own): Promise<void> {
  const held = growingHistory({ steps: own, evals: [], alerts: [] });
  createHeldSteps(held, []);
  const shown = drawn(
    h(SenderLine, {
      ...{ fingerprint, sentBackend: 'webgpu', backend: 'wasm' },
      records: held.steps,
      allRecords: () => Promise.resolve(all),
    }),
  );
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
  const allRecords = () => Promise.resolve(records);
  const line = { fingerprint: sent, sentBackend: 'wasm', backend: 'wasm', records, allRecords } as const;
  expect(textOf(h(SenderLine, line))).toBe('');
});
