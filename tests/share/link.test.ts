import fc from 'fast-check';
import { deflateRawSync } from 'node:zlib';
import * as v from 'valibot';
import { describe, expect, it, vi } from 'vitest';
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
import { anyConfig, plainConfig } from './any-record';
import { example } from './example-config';
import { sampled } from '../fixtures/sample';
import { errorOf } from '../model/refusal';

/** Adds the presets of the examples. */
vi.mock('../../src/run/config/presets', async (original) => {
  const house = await original<{ presets: Record<string, RunConfig> }>();
  const { examplePresets } = await import('./example-config');
  const presets: Record<string, RunConfig> = { ...house.presets, ...examplePresets };
  const presetOf = ({ preset }: RunConfig) => (Object.hasOwn(presets, preset) ? presets[preset] : null);
  return { ...house, presets, presetOf };
});

const refusal = async (promise: Promise<unknown>): Promise<MarbleError> => (await errorOf(() => promise))!;

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
    const config = { ...example, optimizer: { ...example.optimizer, learningRate: 0.001 } };
    expect(await encodeLink(config)).toBe('#v=1&preset=example&seed=1&optimizer.learningRate=0.001');
    expect(await encodeLink({ ...example, data: { ...example.data, dropShortcutRight: 0.75 } })).toBe(
      '#v=1&preset=example&seed=1&data.source=swap&data.orders=0,1,2,3&data.dropShortcutRight=0.75' +
        '&data.reentry=false',
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

  it('stays under 1 kB even if every field differs from the preset', { timeout: 30_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(plainConfig, async (config) => {
        expect((await encodeLink(config)).length).toBeLessThan(1024);
      }),
      { numRuns: sampled(100, 300) },
    );
  });

  it('contains the ids of imported data sets only', async () => {
    const config: RunConfig = {
      ...example,
      data: { ...example.data, source: 'imported:mine-0123456789abcdef' },
      evaluation: { ...example.evaluation, imported: ['a-0123456789abcdef', 'b-0123456789abcdef'] },
    };
    const link = await encodeLink(config);
    expect(link).toContain('data.source=imported:mine-0123456789abcdef');
    expect(link).toContain('evaluation.imported=a-0123456789abcdef,b-0123456789abcdef');
    expect((await decodeLink(link)).config).toEqual(config);
    const twice = link.replace('b-0123', 'a-0123');
    expect((await refusal(decodeLink(twice))).message).toContain('at most eight different ids');
  });

  it('replaces the preset’s data by a complete set of data fields, and changes only the given fields otherwise', async () => {
    const data = { ...example.data, source: 'swap', rho: 0.81, events: 9, trainItems: 900 };
    const table = presets as Record<string, RunConfig>;
    table.example = { ...example, data };
    const decoded = await decodeLink(await encodeLink(example));
    expect(decoded.config.data).toEqual(example.data);
    const { config } = await decodeLink('#preset=example&data.orders=1&data.events=6');
    expect(config.data).toEqual({ ...data, orders: [1], events: 6 });
    table.example = example;
  });

  it('is read with and without #, and from a URL', async () => {
    const text = 'preset=example&seed=9';
    for (const link of [text, `#${text}`, `https://example.org/marble/#${text}`]) {
      expect((await decodeLink(link)).config).toEqual({ ...example, seed: 9 });
    }
  });

  it('drops the fields of the preset’s kind of model if it has another kind', async () => {
    const { config } = await decodeLink(
      '#preset=example-lora&training.mode=full&model.kind=embedded&model.name=ladder-12k',
    );
    expect(config.model).toEqual({ kind: 'embedded', name: 'ladder-12k' });
    expect(config.training).toEqual({ mode: 'full' });
  });

  it('ignores and lists unknown fields, and pollutes no prototype', async () => {
    const { config, ignored } = await decodeLink(
      '#preset=example&seed=2&colour=blue&__proto__=1&__proto__.polluted=1&constructor.prototype.polluted=1&data.__proto__.polluted=1',
    );
    expect(config).toEqual({ ...example, seed: 2 });
    const polluting = ['__proto__.polluted', 'constructor.prototype.polluted', 'data.__proto__.polluted'];
    expect(ignored).toEqual(['colour', '__proto__', ...polluting]);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it.each([
    ['optimizer.learningRate=5', 'is 5; it must be a number from 0 to 1.'],
    ['optimizer.learningRate=NaN', 'is NaN; it must be a number from 0 to 1.'],
    ['optimizer.learningRate=1e999', 'is Infinity; it must be a number from 0 to 1.'],
    ['optimizer.learningRate=0x1', 'is 0x1; it must be a number from 0 to 1.'],
    ['algorithm.dualClip=0.5', 'is 0.5; it must be 0 for the convention’s own, or a number from 1 to 100.'],
    ['seed=', 'is empty; it must be a whole number from 0 to 4294967295.'],
    ['seed=-1', 'is -1; it must be a whole number from 0 to 4294967295.'],
    ['seed=1.5', 'is 1.5; it must be a whole number from 0 to 4294967295.'],
    ['data.orders=0,7', '.1 is 7; it must be one to five different orders, each a whole number from 0 to 4.'],
    ['data.rho=1.5', 'is 1.5; it must be a number from 0 to 1.'],
    ['data.trainItems=-1', 'is -1; it must be a whole number from 0 to 1000000.'],
    ['evaluation.validationItems=20000', 'is 20000; it must be a whole number from 0 to 10000.'],
    ['data.events=13', 'is 13; it must be a whole number from 3 to 12.'],
    ['data.source=imported', 'is imported; it must be imported: with the id'],
    ['data.source=constructor', 'is constructor; it must be imported: with the id'],
    ['data.source=Rooms', 'is Rooms; it must be imported: with the id'],
    ['data.reentry=maybe', 'is maybe; it must be true or false.'],
    ['reward.preset=evil()', `is evil(); it must be one of ${rewardPresets.join(', ')}.`],
    ['model.kind=planet', 'is planet; it must be one of embedded, hub, url, files.'],
    ['model.url=javascript:alert(1)', 'is javascript:alert(1); it must be an http(s) address'],
    ['model.url=https://a:99999/', 'is https://a:99999/; it must be an address that can be read'],
    ['training.adapter=https://[', 'is https://[; it must be an address that can be read'],
    ['training.adapter=ships:rooms-7b', 'is ships:rooms-7b; of adapters that ship there is rooms-135m.'],
  ])('rejects %s with name, value and range', async (field, message) => {
    const [name] = field.split('=');
    const kind = name === 'model.url' ? 'model.kind=url&' : '';
    const lora = name === 'training.adapter' ? 'training.mode=lora&training.rank=2&training.alpha=4&' : '';
    const error = await refusal(decodeLink(`#preset=example&${kind}${lora}${field}`));
    expect(error.code).toBe('share/out-of-range');
    expect(error.message).toContain(`${name}${message.startsWith('.') ? '' : ' '}${message}`);
  });

  it.each([
    ['share/unknown-preset', 'no preset named nowhere', '#preset=nowhere'],
    ['share/unknown-preset', 'no preset named toString', '#preset=toString'],
    ['share/unknown-preset', 'no preset named __proto__', '#preset=__proto__'],
    ['share/bad-link', 'has no preset', ''],
    ['share/bad-link', 'has no preset', '#seed=1'],
    ['share/bad-link', 'version is 0', '#v=0&preset=example'],
    ['share/newer-link', 'version 2', '#v=2&preset=example'],
    ['share/bad-link', 'contains seed twice', '#preset=example&seed=1&seed=2'],
    ['share/bad-link', 'damaged at preset', '#preset=%E0%A4%A'],
    ['share/bad-link', 'cannot be decompressed', '#z=****'],
    ['share/bad-link', 'cannot be decompressed', '#z=AAAA'],
    [
      'share/out-of-range',
      'model.revision is missing.',
      '#preset=example&model.kind=hub&model.repository=a/b',
    ],
    ['share/bad-link', 'The link is 8194 characters long; the limit is 8192.', `#x=${'a'.repeat(8192)}`],
  ])('that is wrong causes the error %s: %s', async (code, message, link) => {
    const error = await refusal(decodeLink(link));
    expect([error.code, error.message]).toEqual([code, expect.stringContaining(message)]);
  });

  it.each(['abc', '-1', '1e99', '1000000', '7.5', ''])(
    'with the first screen’s seed “%s” is refused',
    async (seed) => {
      expect([readLadder(`#ladder=${seed}`), holdsSettings(`#ladder=${seed}`)]).toEqual([null, true]);
      const error = await refusal(decodeLink(`http://localhost/#ladder=${seed}`));
      expect(error).toMatchObject({
        code: 'share/bad-link',
        message: `ladder is ${seed || 'empty'}; it must be a whole number from 0 to 999999.`,
      });
    },
  );

  it('to the first screen names no run', async () => {
    expect((await refusal(decodeLink('#ladder=7'))).message).toContain('the first screen with seed 7');
    expect(['#ladder=77&small=stops', '#v=1&preset=ladder-12k'].map(readLadder)).toEqual([77, null]);
    expect(holdsSettings('#ladder=7&small=stops')).toBe(false);
  });

  it('stops inflating at 64 kB: 6 MB fit into 8 kB', async () => {
    for (const length of [6_000_000, 70_000]) {
      const link = packed(`preset=example&x=${'a'.repeat(length)}`);
      expect(link.length).toBeLessThan(8192);
      expect((await refusal(decodeLink(link))).message).toBe('The link inflates to more than 64 kB.');
    }
    expect((await decodeLink(packed(`preset=example&x=${'a'.repeat(60_000)}`))).ignored).toEqual(['x']);
  });

  const fieldName = fc.constantFrom(...configFields.keys(), 'v', 'z', '__proto__', 'x');
  const fieldText = fc.oneof(fc.string({ unit: 'binary', maxLength: 40 }), fc.double().map(String));
  const hostileQuery = fc
    .array(fc.tuple(fieldName, fieldText), { maxLength: 12 })
    .map((pairs) => `preset=example&${pairs.map(([name, text]) => `${name}=${text}`).join('&')}`);

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
  'the preset %s is valid and has a link of its name and seed',
  async (name, config) => {
    expect(checkRunConfig(config)).toEqual(config);
    const link = await encodeLink(config);
    expect(link).toMatch(/^#v=1&preset=[\w.-]+&seed=\d+$/);
    expect(await decodeLink(link)).toEqual({ config, ...nothingBeside });
    expect(runName(config)).toBe(name);
  },
);

it.each(Object.entries(presets))(
  'a run of %s without one of its optional fields has a link and a name without it',
  async (_, config) => {
    const fields = fieldsOf(config);
    const groups = [...fields.keys(), 'warmStart.'];
    for (const group of groups) {
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

describe('a run’s name', () => {
  it('is its preset and the fields that differ from it, with the group of an unclear one', () => {
    const { algorithm, evaluation, optimizer } = example;
    const config: RunConfig = {
      ...{ ...example, evaluation: { ...evaluation, seed: 8 } },
      algorithm: { ...algorithm, kl: { ...algorithm.kl, target: 0.2 } },
      optimizer: { ...optimizer, learningRate: 0.001 },
    };
    expect(runName(example)).toBe('example');
    expect(runName(config)).toBe('example, kl.target 0.2, learningRate 0.001, evaluation.seed 8');
  });

  it('lists four differences and counts the others', () => {
    const rollout = { ...example.rollout, promptsPerStep: 1 };
    const optimizer = { ...example.optimizer, learningRate: 0.001, weightDecay: 0.1, beta2: 0.99 };
    const config: RunConfig = { ...example, seed: 3, steps: 5, rollout, optimizer };
    expect(runName(config)).toBe(
      'example, seed 3, promptsPerStep 1, learningRate 0.001, beta2 0.99 and 2 more',
    );
    expect(runName({ ...config, steps: example.steps })).toMatch(/ and 1 more$/);
  });
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
    const link = await encodeLink(example, extras);
    expect(link).toContain(
      '&sweep.model=ladder-25k&sweep.reward=tom-rl,faithful&sweep.klCoefficient=0,0.05&sweep.orders=0123,1&sweep.seed=1,2,3&lesson=on',
    );
    expect(await decodeLink(link)).toEqual({ config: example, ...extras, ignored: [] });
  });

  it.each([
    ['sweep.seed=1,2,two', /sweep\.seed\.2 is two; it must be a whole number/],
    ['sweep.temperature=0', /temperature\.0 is 0; it must be a number from 0\.01 to 10/],
    ['sweep.reward=generous', /reward\.0 is generous/],
    ['sweep.seed=', /sweep\.seed\.0/],
    ['sweep.seed=3,3', /one to 50 different values/],
    ['sweep.orders=05', /orders\.0\.1 is 5/],
    ['sweep.orders=1 2', /orders\.0\.1 is {2}; it must be one to five/],
    ['sweep.seed=1,0x10', /sweep\.seed\.1 is 0x10; it must be a whole number/],
    ['backend=tpu', /backend is tpu/],
    ['lesson=twice', /lesson is twice; it must be one of on/],
    ['class=0', /class is 0; it must be a whole number from 1 to 500/],
    ['class=all', /class is all; it must be a whole number from 1 to 500/],
    [
      `sweep.seed=${[...Array(21).keys()].join(',')}&sweep.klCoefficient=${[...Array(10).keys()].join(',')}`,
      /210 runs; the limit is 200/,
    ],
  ])('rejects %s', async (fields, message) => {
    const error = await refusal(decodeLink(`#preset=example&${fields}`));
    expect(error.code).toBe('share/out-of-range');
    expect(error.message).toMatch(message);
  });

  it('lists an unknown axis as ignored, and pollutes no prototype', async () => {
    const { sweep, ignored } = await decodeLink('#preset=example&sweep.colour=red&sweep.__proto__=1');
    expect(sweep).toEqual({});
    expect(ignored).toEqual(['sweep.colour', 'sweep.__proto__']);
  });
});

it('a link with fields that earlier versions had opens and names them', async () => {
  const { config, ignored } = await decodeLink('#preset=small-llms&training.arithmetic=f16&tiles=3-k0');
  expect(config).toEqual(presets['small-llms']);
  expect(ignored).toEqual(['training.arithmetic', 'tiles']);
  const plain = await decodeLink('#preset=swap-faithful&backend=cpu&hide=verdict');
  expect([plain.backend, plain.ignored]).toEqual([undefined, ['backend=cpu', 'hide']]);
});
