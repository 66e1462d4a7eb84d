import fc from 'fast-check';
import { deflateRawSync } from 'node:zlib';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { MarbleError } from '../../src/base/error';
import { presets } from '../../src/run/config/presets';
import { holdsSettings } from '../../src/app/page/place';
import { readLadder } from '../../src/share/ladder-seed';
import { decodeLink, encodeLink } from '../../src/share/settings-link';
import { runName } from '../../src/share/name';
import { checkRunConfig, configFields } from '../../src/run/config/check-config';
import { runConfigSchema, type RunConfig } from '../../src/run/config/config';
import { fieldsOf, recordFrom } from '../../src/run/config/fields';
import { importedId, importedSource } from '../../src/run/config/imported';
import { isWorldName } from '../../src/tom/worlds/orders';
import { anyConfig } from './any-record';
import { sampled } from '../fixtures/sample';
import { errorOf } from '../model/refusal';

const base = presets['swap-shortcut'];

const refusal = async (link: string): Promise<MarbleError> => (await errorOf(() => decodeLink(link)))!;
/** Ends in a `MarbleError` with this code whose message contains a text. */
const expectRefused = async (link: string, code: string, message: string | RegExp): Promise<void> => {
  const error = await refusal(link);
  expect(error.code).toBe(code);
  expect(error.message).toMatch(message);
};

/** A link names stories that this version can make. */
const withKnownStories = (config: RunConfig): RunConfig => {
  const { source } = config.data;
  const isKnown = importedId(source) !== null || isWorldName(source);
  return { ...config, data: { ...config.data, source: isKnown ? source : importedSource(source) } };
};

const rewardPresets = runConfigSchema.entries.reward.entries.preset.options;
const nothingBeside = { ignored: [], sweep: {}, lesson: false };

const packed = (text: string) => `#z=${deflateRawSync(text).toString('base64url')}`;

describe('a link', () => {
  it('is readable, always contains the seed, and contains all data fields if one differs from the preset', async () => {
    const config = { ...base, optimizer: { ...base.optimizer, learningRate: 0.001 } };
    expect(await encodeLink(config)).toBe('#v=1&preset=swap-shortcut&seed=2401&optimizer.learningRate=0.001');
    expect(await encodeLink({ ...base, data: { ...base.data, dropShortcutRight: 0.75 } })).toBe(
      '#v=1&preset=swap-shortcut&seed=2401&data.source=swap&data.orders=1,2,3&data.dropShortcutRight=0.75' +
        '&data.reentry=false&data.rho=0.82',
    );
  });

  it('restores every valid configuration exactly', { timeout: 30_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(anyConfig.map(withKnownStories), async (config) => {
        expect(await decodeLink(await encodeLink(config))).toEqual({ config, ...nothingBeside });
      }),
      { numRuns: sampled(100, 300) },
    );
  });

  it('of a few data fields changes only these', async () => {
    const { config } = await decodeLink('#preset=swap-shortcut&data.orders=1&data.events=6');
    expect(config.data).toEqual({ ...base.data, orders: [1], events: 6 });
  });

  it('is read with and without #, and from a URL', async () => {
    const text = 'preset=swap-shortcut&seed=9';
    for (const link of [text, `#${text}`, `https://example.org/marble/#${text}`]) {
      expect((await decodeLink(link)).config).toEqual({ ...base, seed: 9 });
    }
  });

  it('ignores and lists fields that are unknown or that earlier versions had, and pollutes no prototype', async () => {
    const unknown = [
      ...['colour', '__proto__', '__proto__.polluted', 'constructor.prototype.polluted'],
      ...['data.__proto__.polluted', 'sweep.colour', 'sweep.__proto__', 'training.arithmetic', 'hide'],
    ];
    const fields = unknown.map((name) => `${name}=1`).join('&');
    const decoded = await decodeLink(`#preset=swap-shortcut&seed=2&backend=cpu&${fields}`);
    expect(decoded).toEqual({
      ...{ ...nothingBeside, config: { ...base, seed: 2 }, ignored: ['backend=cpu', ...unknown] },
    });
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    const many = Array.from({ length: 30 }, (_, index) => `x${index}`);
    expect((await decodeLink(`#preset=swap-shortcut&${many.join('&')}`)).ignored).toEqual(many.slice(0, 20));
  });

  it('of an earlier version asks for files in place of an address', async () => {
    const text = encodeURIComponent('https://a.example/own%20model.q8_0.gguf');
    const start = '#preset=first-run-135m&model.kind=url';
    const model = await decodeLink(`${start}&model.url=${text}`);
    const name = 'own-20model.q8_0.gguf';
    expect([model.config.model, model.ignored]).toEqual([{ kind: 'files', name }, ['model.url']]);
    const { config, ignored } = await decodeLink(`#preset=first-run-135m&training.adapter=${text}`);
    expect([config.training, ignored]).toMatchObject([{ adapter: `files:${name}` }, ['training.adapter']]);
    await expectRefused(`${start}&model.url=${'x'.repeat(600)}`, 'share/out-of-range', '');
  });

  it.each([
    ['optimizer.learningRate=5', 'is 5; it must be a number from 0 to 1.'],
    ['optimizer.learningRate=0x1', 'is 0x1; it must be a number from 0 to 1.'],
    ['algorithm.dualClip=0.5', 'is 0.5; it must be 0 for the convention’s own, or a number from 1 to 100.'],
    ['seed=', 'is empty; it must be a whole number from 0 to 4294967295.'],
    ['data.orders=0,7', '.1 is 7; it must be one to five different orders, each a whole number from 0 to 4.'],
    ['data.source=constructor', 'is constructor; it must be imported: with the id'],
    ['reward.preset=evil()', `is evil(); it must be one of ${rewardPresets.join(', ')}.`],
    [
      'training.adapter=javascript:1',
      'is javascript:1; it must be hub:owner/name@commit, or files: or ships:',
    ],
    ['training.adapter=ships:rooms-7b', 'is ships:rooms-7b; of adapters that ship there is rooms-135m.'],
  ])('rejects %s with name, value and range', async (field, message) => {
    const [name] = field.split('=');
    const lora = name === 'training.adapter' ? 'training.mode=lora&training.rank=2&training.alpha=4&' : '';
    const text = `${name}${message.startsWith('.') ? '' : ' '}${message}`;
    await expectRefused(`#preset=swap-shortcut&${lora}${field}`, 'share/out-of-range', text);
  });

  it.each([
    ['share/unknown-preset', 'no preset named __proto__', '#preset=__proto__'],
    ['share/bad-link', 'has no preset', ''],
    ['share/bad-link', 'version is 0', '#v=0&preset=swap-shortcut'],
    ['share/newer-link', 'version 2', '#v=2&preset=swap-shortcut'],
    ['share/bad-link', 'contains seed twice', '#preset=swap-shortcut&seed=1&seed=2'],
    ['share/bad-link', 'damaged at preset', '#preset=%E0%A4%A'],
    ['share/bad-link', 'ladder is abc; it must be a whole number from 0 to 999999.', '#ladder=abc'],
    ['share/bad-link', 'the first screen with seed 7; it names no run', '#ladder=7'],
    ['share/bad-link', 'cannot be decompressed', '#z=****'],
    [
      'share/out-of-range',
      'model.revision is missing.',
      '#preset=swap-shortcut&model.kind=hub&model.repository=a/b',
    ],
    ['share/bad-link', 'The link is 8194 characters long; the limit is 8192.', `#x=${'a'.repeat(8192)}`],
  ])('that is wrong causes the error %s: %s', (code, message, link) => expectRefused(link, code, message));

  it.each([
    ['#ladder=7', 7],
    ['#ladder=1000000', null],
    ['#ladder=', null],
    ['#v=1&preset=ladder-12k', null],
  ])('%s names the first screen with seed %s, or settings', (hash, seed) => {
    expect([readLadder(hash), holdsSettings(hash)]).toEqual([seed, seed === null]);
  });

  it('stops inflating at 64 kB: 6 MB fit into 8 kB', async () => {
    for (const length of [6_000_000, 70_000]) {
      const link = packed(`preset=swap-shortcut&x=${'a'.repeat(length)}`);
      expect(link.length).toBeLessThan(8192);
      await expectRefused(link, 'share/bad-link', 'The link inflates to more than 64 kB.');
    }
    expect((await decodeLink(packed(`preset=swap-shortcut&x=${'a'.repeat(60_000)}`))).ignored).toEqual(['x']);
  });

  const fieldName = fc.constantFrom(...configFields.keys(), 'v', 'z', '__proto__', 'x');
  const fieldText = fc.oneof(fc.string({ unit: 'binary', maxLength: 40 }), fc.double().map(String));
  const hostileQuery = fc
    .array(fc.tuple(fieldName, fieldText), { maxLength: 12 })
    .map((pairs) => `preset=swap-shortcut&${pairs.map(([name, text]) => `${name}=${text}`).join('&')}`);

  async function meetsNamedErrorOnly(text: string): Promise<void> {
    const outcome: unknown = await decodeLink(text).catch((error: unknown) => error);
    if (outcome instanceof MarbleError) {
      expect(outcome.code).toMatch(/^share\//);
      expect(outcome.message.length).toBeLessThan(400);
    } else {
      const { config } = outcome as { config: RunConfig };
      expect(checkRunConfig(config)).toEqual(config);
    }
  }

  it.each([
    ['text', fc.oneof(fc.string({ unit: 'binary', maxLength: 200 }), hostileQuery), sampled(500, 10_000)],
    [
      'packed text',
      fc.oneof(
        hostileQuery.map(packed),
        fc.base64String({ maxLength: 80 }).map((text) => `#z=${text}`),
      ),
      sampled(50, 1000),
    ],
  ])('causes only MarbleErrors for hostile %s', { timeout: 60_000 }, async (_, hostile, numRuns) => {
    await fc.assert(fc.asyncProperty(hostile, meetsNamedErrorOnly), { numRuns });
  });
});

it.each(Object.entries(presets))(
  'the preset %s is valid and has a link of its name and seed, and a run without one of its optional fields one without it',
  async (preset, config) => {
    expect(checkRunConfig(config)).toEqual(config);
    const link = await encodeLink(config);
    expect(link).toMatch(/^#v=1&preset=[\w.-]+&seed=\d+$/);
    expect(await decodeLink(link)).toEqual({ config, ...nothingBeside });
    expect(runName(config)).toBe(preset);
    const fields = fieldsOf(config);
    for (const group of [...fields.keys(), 'warmStart.']) {
      const rest = new Map([...fields].filter(([path]) => !path.startsWith(group)));
      const left = v.safeParse(runConfigSchema, recordFrom(rest));
      if (!left.success || rest.size === fields.size) continue; // a required field, or none
      const found = await encodeLink(left.output).then(decodeLink, (thrown: unknown) => thrown);
      if (found instanceof MarbleError) expect(found.message).toContain('warmStart.short');
      else expect(found, group).toEqual({ config: left.output, ...nothingBeside });
      expect(runName(left.output)).toMatch(/, no /);
    }
  },
);

it('a run’s name is its preset and four fields that differ, with the group of an unclear one, and counts the others', () => {
  const config: RunConfig = {
    ...{ ...base, seed: 9 },
    algorithm: { ...base.algorithm, kl: { ...base.algorithm.kl, target: 0.2 } },
    evaluation: { ...base.evaluation, seed: 8 },
    rollout: { ...base.rollout, instruction: 'x'.repeat(101) },
  };
  const differences = `seed 9, kl.target 0.2, instruction ${'x'.repeat(100)}…, evaluation.seed 8`;
  expect(runName(config)).toBe(`swap-shortcut, ${differences}`);
  expect(runName({ ...config, steps: 5 })).toMatch(/, steps 5 and 1 more$/);
});

describe('a link with a sweep and the lesson switch', () => {
  it('is readable and restores both', async () => {
    const extras = {
      sweep: {
        model: [{ kind: 'embedded' as const, name: 'ladder-25k' as const }],
        reward: ['tom-rl' as const, 'faithful' as const],
        klCoefficient: [0, 0.05],
        orders: [[0, 1, 2, 3], [1]],
        seed: [1, 2, 3],
      },
      lesson: true,
    };
    const link = await encodeLink(base, extras);
    expect(link).toContain(
      '&sweep.model=ladder-25k&sweep.reward=tom-rl,faithful&sweep.klCoefficient=0,0.05&sweep.orders=0123,1&sweep.seed=1,2,3&lesson=on',
    );
    expect(await decodeLink(link)).toEqual({ config: base, ...extras, ignored: [] });
  });

  it.each([
    ['sweep.seed=1,2,two', /sweep\.seed\.2 is two; it must be a whole number/],
    ['sweep.seed=3,3', /one to 50 different values/],
    ['sweep.orders=05', /orders\.0\.1 is 5/],
    ['lesson=twice', /lesson is twice; it must be one of on/],
    ['class=0', /class is 0; it must be a whole number from 1 to 500/],
    [
      `sweep.seed=${[...Array(21).keys()].join(',')}&sweep.klCoefficient=${[...Array(10).keys()].join(',')}`,
      /210 runs; the limit is 200/,
    ],
  ])('rejects %s', (fields, message) =>
    expectRefused(`#preset=swap-shortcut&${fields}`, 'share/out-of-range', message),
  );
});
