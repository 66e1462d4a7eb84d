import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MarbleError } from '../../src/base/error';
import { createRandom } from '../../src/base/random';
import { packRun, unpackRun, type RunFile } from '../../src/share/run-file';
import { sampled } from '../fixtures/sample';
import { errorOf } from '../model/refusal';
import { example } from './example-config';
import { checkpoint, inMemory, report, rollout, run } from './run-content';

/** Reads a file to its end. */
const opened = async (file: Blob) => inMemory(await unpackRun(file));

const refusal = async (file: Blob): Promise<MarbleError> => (await errorOf(() => opened(file)))!;

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Content of a file without weights as plain JSON, with a list for each kind of record. */
interface Content {
  record: unknown;
  steps: unknown[];
  evals: unknown[];
  alerts: unknown[];
  rollouts: unknown[];
}

/** A file with this manifest, its valid hash and these blocks. */
function withHead(manifest: object, ...blocks: BlobPart[]): Blob {
  const json = new TextEncoder().encode(JSON.stringify(manifest));
  return new Blob([`marble-run 1\n${sha256(json)} ${json.length}\n`, json, ...blocks]);
}

/** Packs arbitrary content with valid hashes and lengths, as an attacker can. */
function packed({ record, ...lists }: Content): Blob {
  const block = (lines: unknown[]) =>
    new TextEncoder().encode(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const [history, rollouts] = [
    block([
      ...lists.steps.map((step) => ['step', step]),
      ...lists.evals.map((evaluation) => ['eval', evaluation]),
      ...lists.alerts.map((alert) => ['alert', alert]),
    ]),
    block(lists.rollouts),
  ].map((bytes) => {
    const stored = new Uint8Array(gzipSync(bytes));
    return { stored, named: [{ length: bytes.length, packed: stored.length, sha256: sha256(stored) }] };
  });
  const manifest = { record, history: history.named, rollouts: rollouts.named, checkpoint: null };
  return withHead(manifest, history.stored, rollouts.stored);
}

interface AnyManifest {
  record: Record<string, unknown>;
  rollouts: unknown[];
  checkpoint: { config: unknown; trainer: Record<string, unknown> };
}

/** A file with a changed manifest and a valid hash. */
async function withManifest(file: Blob, change: (manifest: AnyManifest) => void): Promise<Blob> {
  const [, start, length] = /^(marble-run 1\n\S+ )(\d+)\n/.exec(await file.slice(0, 128).text())!;
  const first = start.length + length.length + 1;
  const manifest = JSON.parse(await file.slice(first, first + Number(length)).text()) as AnyManifest;
  change(manifest);
  return withHead(manifest, file.slice(first + Number(length)));
}

const content = (): Content => {
  const { record, steps, evals, alerts } = structuredClone(run.history);
  return { record, steps: steps.slice(0, 1), evals: [...evals], alerts: [...alerts], rollouts: [rollout] };
};

describe('a run as one file', () => {
  it('is opened with its full content, including numbers that are not finite', async () => {
    expect(await opened(await packRun(run))).toEqual(run);
    const light = { ...run, checkpoint: null, rollouts: [] };
    expect(await opened(await packRun(light))).toEqual(light);
    const talkative = { ...light, rollouts: [[{ ...rollout, completion: 'x'.repeat(100_000) }]] };
    expect(await opened(await packRun(talkative))).toEqual(talkative);
    const lora = { ...run, checkpoint: { ...checkpoint, policy: { ...checkpoint.policy, reference: null } } };
    expect(await opened(await packRun(lora))).toEqual(lora);
  });

  it('is rejected if a block exceeds the limit', async () => {
    const length = 1e8;
    const { record } = content();
    const head = withHead({
      ...{ record, history: [{ length, sha256: sha256(new Uint8Array()) }], rollouts: [], checkpoint: null },
    });
    const size = head.size + length;
    const huge = { size, slice: (start: number, end: number) => head.slice(start, end) } as Blob;
    expect((await refusal(huge)).message).toContain('has 100000000 bytes; the limit is 67108864');
  });

  it('has a tenth of the size of its records, and is rejected if a block decompresses to another size than its manifest says', async () => {
    // As in a run: different words in the same sentences.
    const words = ['Anna', 'Bob', 'box', 'bag', 'sees', 'moves', 'kitchen', 'garden'];
    const random = createRandom(1, 2);
    const text = (): string => Array.from({ length: 30 }, () => words[random.uint32() % 8]).join(' ');
    const rollouts = Array.from({ length: 2000 }, () => ({ ...rollout, completion: text() }));
    const file = await packRun({ ...run, checkpoint: null, rollouts: [rollouts] });
    expect(file.size).toBeLessThan(JSON.stringify(rollouts).length / 10);
    expect((await opened(file)).rollouts).toEqual([rollouts]);
    await withManifest(file, (manifest) => expect(manifest.rollouts).toHaveLength(2));

    const fileOf = (stored: Uint8Array<ArrayBuffer>, length: number): Blob => {
      const block = { length, packed: stored.length, sha256: sha256(stored) };
      return withHead({ record: content().record, history: [block], rollouts: [], checkpoint: null }, stored);
    };
    const bomb = new Uint8Array(gzipSync(Buffer.alloc(2 ** 20)));
    expect((await refusal(fileOf(bomb, 2 ** 20))).message).toMatch(
      /size of 1048576 bytes; the limit is a ratio of 200/,
    );
    expect((await refusal(fileOf(bomb, 1000))).message).toContain('more than the 1000 bytes');
    const short = new Uint8Array(gzipSync(Buffer.from('x')));
    expect((await refusal(fileOf(short, 100))).message).toContain('decompresses to 1 bytes instead of 100');
    const noise = Uint8Array.from({ length: 40 }, (_, index) => index);
    expect((await refusal(fileOf(noise, 100))).message).toContain('cannot be decompressed');
  });

  it('is not written if a reader would refuse a record for its size or its order', async () => {
    const prompt = 'x'.repeat(33 * 2 ** 20);
    for (const rollouts of [
      [[{ ...rollout, prompt, completion: prompt }]],
      [[{ ...rollout, step: 2 }], [rollout]],
    ])
      await expect(packRun({ ...run, rollouts })).rejects.toMatchObject({ code: 'share/too-big' });
  });

  it('is rejected if it is truncated, too long, or changed in any byte', async () => {
    const bytes = new Uint8Array(await (await packRun(run)).arrayBuffer());
    for (const length of [0, 5, 40, 200, bytes.length - 1]) {
      expect((await refusal(new Blob([bytes.slice(0, length)]))).code).toBe('share/bad-file');
    }
    expect((await refusal(new Blob([bytes, 'x']))).code).toBe('share/bad-file');
    for (let place = 0; place < bytes.length; place += place < 100 ? 1 : 97) {
      const changed = bytes.slice();
      changed[place] ^= 1;
      expect((await refusal(new Blob([changed]))).code).toBe('share/bad-file');
    }
  });

  it('of a newer version is rejected with its number', async () => {
    expect(await refusal(new Blob(['marble-run 2\nanything']))).toMatchObject({
      ...{ code: 'share/newer-file', message: expect.stringContaining('version 2') as string },
    });
  });

  const changed = (change: object): Partial<Content> => ({ record: { ...run.history.record, ...change } });

  it.each<[string, Partial<Content>, string]>([
    [
      'a text as a number',
      { steps: [{ step: 1, reward: 'high' }] },
      'steps.0.reward is high; it must be a number.',
    ],
    ['negative tokens', { rollouts: [{ ...rollout, tokens: -1 }] }, 'rollouts.0.tokens is -1; it must be'],
    [
      'a missing setting',
      changed({ config: { ...example, seed: undefined } }),
      'record.config.seed is missing.',
    ],
    [
      'an unknown setting',
      changed({ config: { ...example, colour: 'blue' } }),
      'record.config.colour is not a setting that this version knows.',
    ],
    ['an invalid date', changed({ createdAt: 9e15 }), 'record.createdAt'],
    ['a backend of null', changed({ machine: { backend: null } }), 'record.machine.backend'],
    ['a machine of 20,000 parts', changed({ machine: { timing: Array(20_000).fill(1) } }), 'record.machine'],
    [
      'outcomes of unequal length',
      { evals: [{ report: { ...report, outcomes: { ...report.outcomes, trace: 'f' } } }] },
      'one value per item in every column',
    ],
    ['unordered steps', { steps: [{ step: 2 }, { step: 1 }] }, 'Step 1 follows step 2.'],
    ['unordered rollouts', { rollouts: [{ ...rollout, step: 2 }, rollout] }, 'step 1 follow those of step 2'],
  ])('is refused by name for %s', async (_, change, place) => {
    expect((await refusal(packed({ ...content(), ...change }))).message).toContain(place);
  });

  it('is written and read within the same limits', async () => {
    const { history } = run;
    const named = (count: number) => ({
      ...run,
      history: { ...history, steps: [{ step: 1, ...Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, 1])) }] }, // prettier-ignore
    });
    await unpackRun(await packRun(named(900)));
    await expect(packRun(named(1001))).rejects.toMatchObject({ code: 'share/too-big' });
    const other = { ...run.checkpoint!, config: { ...example, seed: 99 } };
    await expect(packRun({ ...run, checkpoint: other })).rejects.toThrow('other settings than the run');
    const twice = { ...history, steps: [...history.steps, ...history.steps] };
    await expect(packRun({ ...run, history: twice })).rejects.toThrow('Step 1 follows step 2');
  });

  it.each([
    ['cursor', -1, 'a whole number from 0'],
    ['alerts', { active: 'none', recent: {} }, 'a list'],
    ['baseline', undefined, 'missing'],
  ])('is rejected if the trainer could not resume because of its %s', async (name, value, expected) => {
    const trainer = { ...checkpoint.trainer, [name]: value };
    const file = await withManifest(
      await packRun(run),
      (manifest) => (manifest.checkpoint.trainer[name] = value),
    );
    const { code, message } = await refusal(file);
    expect(code).toBe('share/bad-file');
    expect(message).toContain(`trainer.${name}`);
    expect(message).toContain(expected);
    const written = packRun({ ...run, checkpoint: { ...checkpoint, trainer } });
    await expect(written).rejects.toMatchObject({ code: 'share/too-big' });
  });

  it('with fields that earlier versions had is opened without them, and names each once', async () => {
    const { record } = run.history;
    const training = { mode: 'lora', rank: 4, alpha: 8 } as const;
    const backend = { backend: 'webgpu', reason: '', adapter: 'a card' };
    const read = async (change: object, machine: object) =>
      opened(
        await withManifest(await packRun(run), (manifest) => {
          Object.assign(manifest.record, { machine, config: { ...record.config, ...change } });
          manifest.checkpoint.config = manifest.record.config;
        }),
      );
    const old = {
      training: { ...training, arithmetic: 'f16' },
      evaluation: { ...record.config.evaluation, patience: 3, validationItems: 100 },
    };
    const { history, ignored, checkpoint: found } = await read(old, { backend: { ...backend, tiles: {}, tileCode: '3' } }); // prettier-ignore
    const settings = ['training.arithmetic', 'evaluation.patience', 'evaluation.validationItems'];
    expect(ignored).toEqual([...settings, 'machine.backend.tiles', 'machine.backend.tileCode']);
    const config = { ...record.config, training };
    expect([history.record.config, found?.config]).toEqual([config, config]);
    expect(history.record.machine.backend).toEqual(backend);
    // The backend cpu was deleted.
    const onCpu = await read(old, { cores: 2, backend: { backend: 'cpu', reason: '', adapter: null } });
    expect(onCpu.ignored).toEqual([...settings, 'machine.backend']);
    expect(onCpu.history.record.machine).toEqual({ cores: 2 });
    const adapter = await read({ training: { ...training, adapter: 'https://a.example/adapter/' } }, {});
    expect(adapter.ignored).toEqual(['training.adapter']);
    expect(adapter.checkpoint?.config.training).toEqual({ ...training, adapter: 'files:adapter' });
  });

  it('drops unknown fields, such as the best step of earlier versions, and pollutes no prototype', async () => {
    const record = { ...run.history.record, bestStep: 1 };
    const steps: unknown[] = [JSON.parse('{"step":1,"__proto__":5,"reward":1}')];
    const { history } = await opened(packed({ ...content(), ...{ colour: 'blue' }, record, steps }));
    expect(history).not.toHaveProperty('colour');
    expect(history.record).toEqual(run.history.record);
    expect(history.steps).toEqual([{ step: 1, reward: 1 }]);
    expect(Object.getPrototypeOf(history.steps[0])).toBe(Object.prototype);
  });

  async function meetsNamedErrorOnly(file: Blob): Promise<void> {
    const outcome: unknown = await opened(file).catch((error: unknown) => error);
    if (outcome instanceof MarbleError) {
      expect(outcome.code).toMatch(/^share\/(bad|newer)-file$/);
      expect(outcome.message.length).toBeLessThan(400);
    } else {
      expect(Object.keys(outcome as RunFile).sort()).toEqual(['checkpoint', 'history', 'rollouts']);
    }
  }

  it('causes only MarbleErrors for arbitrary records with valid hashes', async () => {
    // Replaces the n-th value of the manifest, at any depth, by an arbitrary value.
    const replaced = (manifest: unknown, place: number, value: unknown): unknown => {
      let seen = 0;
      const walk = (part: unknown): unknown => {
        if (seen++ === place) return value;
        if (Array.isArray(part)) return part.map(walk);
        if (typeof part !== 'object' || part === null) return part;
        return Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, walk(inner)]));
      };
      return walk(manifest);
    };
    await fc.assert(
      fc.asyncProperty(fc.nat(300), fc.jsonValue(), async (place, value) => {
        const changed = replaced(content(), place, value) as Content;
        const isFile = (['steps', 'evals', 'alerts', 'rollouts'] as const).every((name) =>
          Array.isArray((changed as Content | null)?.[name]),
        );
        if (isFile) await meetsNamedErrorOnly(packed(changed));
      }),
      { numRuns: sampled(300, 3000) },
    );
  });
});
