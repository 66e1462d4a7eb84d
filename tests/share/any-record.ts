/** Arbitrary records of a run that the schemas of run files accept, with extra weight on the limits of ranges. */
import fc from 'fast-check';
import * as v from 'valibot';
import { runConfigSchema, type RunConfig } from '../../src/run/config/config';
import { presets } from '../../src/run/config/presets';
import { embeddedModels } from '../../src/run/config/model-config';
import { adapterPattern } from '../../src/run/config/saved-adapter';
import { alertSchema, stepSchema } from '../../src/run/record/events';
import { evaluationSchema, type Evaluation } from '../../src/run/record/evaluation';
import { renamed, renamedAlone } from '../../src/run/verdict/ending';
import { accuracy, metric, plain } from '../../src/run/record/record-fields';
import { rolloutSchema } from '../../src/run/record/rollout-record';
import type { RunFile } from '../../src/share/run-file';
import { manifestSchema } from '../../src/share/run-schema';

/** The properties of a valibot schema that the generator reads. */
interface Node {
  type: string;
  entries?: Record<string, Node>;
  rest?: Node;
  key?: Node;
  value?: Node;
  item?: Node;
  wrapped?: Node;
  literal?: unknown;
  options?: readonly unknown[];
  pipe?: readonly (Node & { requirement?: unknown })[];
}

const numbers = fc.oneof(
  fc.double().map((value) => value + 0), // JSON has no -0
  fc.constantFrom(Number.NaN, Infinity, -Infinity, Number.MAX_VALUE, -Number.MAX_VALUE, 5e-324, 0, 1),
);

const fractions = fc.double({ min: 0, max: 1, noNaN: true }).map((value) => value + 0);
/** An interval's ends are in order. */
const accuracies = fc
  .tuple(fc.nat(1e9), fractions, fractions, fractions)
  .map(([count, accuracy, ...ends]) => ({
    count,
    accuracy,
    low: Math.min(...ends),
    high: Math.max(...ends),
  }));

const text = (maxLength: number): fc.Arbitrary<string> =>
  fc.oneof(
    fc.string({ unit: 'binary', maxLength: Math.min(maxLength, 12) }),
    fc
      .constantFrom('', 'toString', '\u001b[2J', '{}}{', '\ud800', '=1+1', '<b>')
      .filter((one) => one.length <= maxLength),
    fc.constant('x'.repeat(Math.min(maxLength, 3000))),
  );

/** Excludes names that the schemas drop. */
const named = (names: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  names.filter((name) => !['__proto__', 'prototype', 'constructor'].includes(name));

/** Strings that match a pattern; with a length, for patterns of the form `^[…]*$`. */
const ofPattern = (pattern: RegExp, length: number | undefined): fc.Arbitrary<string> =>
  length === undefined
    ? fc.stringMatching(pattern)
    : fc.stringMatching(new RegExp(`^${/\[.*\]/.exec(pattern.source)![0]}{${length}}$`));

/** A link may name only the adapters that ship with this version. */
const adapters = fc.oneof(
  fc.stringMatching(adapterPattern).filter((place) => !place.startsWith('ships:')),
  fc.constant('ships:rooms-135m'),
);

/** Steps of a schema's pipe, nested pipes included. */
const stepsOf = (node: Node): NonNullable<Node['pipe']> =>
  (node.pipe ?? []).flatMap((step) => (step.pipe === undefined ? [step] : stepsOf(step)));

/** @param length of every list and of every text with one character per element, for records that require equal lengths */
function arbitrary(node: Node, length?: number): fc.Arbitrary<unknown> {
  const requirement = (type: string): unknown =>
    stepsOf(node).find((step) => step.type === type)?.requirement;
  const checked = <T>(values: fc.Arbitrary<T>): fc.Arbitrary<T> =>
    requirement('check') === undefined ? values : values.filter((value) => v.is(node as never, value));
  if (node === (runConfigSchema as unknown)) return anyConfig;
  if (node === (metric as unknown)) return numbers;
  if (node === (accuracy as unknown)) return accuracies;
  if (node === (plain as unknown) || node.type === 'unknown')
    return fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);
  switch (node.type) {
    case 'custom': {
      const inner = node.pipe?.find((step) => step !== (node as unknown) && step.type !== 'custom');
      return inner === undefined ? numbers : arbitrary(inner, length);
    }
    case 'object':
    case 'strict_object':
    case 'object_with_rest': {
      const isPaired = node.pipe?.some(({ type }) => type === 'check') === true;
      const entries = Object.entries(node.entries!);
      const ofLength = (count?: number): fc.Arbitrary<object> =>
        fc.record(Object.fromEntries(entries.map(([name, entry]) => [name, arbitrary(entry, count)])));
      const known = isPaired ? fc.integer({ min: 0, max: 40 }).chain(ofLength) : ofLength();
      if (node.rest === undefined) return known.map(withoutMissing);
      const rest = fc.dictionary(named(fc.oneof(text(20), fc.constantFrom('reward', 'kl', 'step_time', 'num_tokens'))), arbitrary(node.rest), { maxKeys: 6 }); // prettier-ignore
      return fc.tuple(rest, known).map(([more, own]) => withoutMissing({ ...more, ...own }));
    }
    case 'record':
      return fc.dictionary(named(arbitrary(node.key!) as fc.Arbitrary<string>), arbitrary(node.value!), {
        maxKeys: 5,
      });
    case 'array': {
      const most = (requirement('max_length') as number | undefined) ?? 5;
      const size =
        length === undefined ? { maxLength: Math.min(most, 3) } : { minLength: length, maxLength: length };
      const isSet = requirement('check') !== undefined;
      if (isSet) return fc.uniqueArray(arbitrary(node.item!), { minLength: 1, maxLength: most });
      return fc.array(arbitrary(node.item!), size);
    }
    case 'string': {
      const pattern = requirement('regex') as RegExp | undefined;
      if (pattern === adapterPattern) return adapters;
      return pattern === undefined ? text(requirement('max_length') as number) : ofPattern(pattern, length ?? (pattern.source.endsWith('*$') ? 3 : undefined)); // prettier-ignore
    }
    case 'number': {
      const [min, max] = [requirement('min_value') as number, requirement('max_value') as number];
      const isWhole = stepsOf(node).some(({ type }) => type === 'integer');
      // JSON and links write -0 as 0.
      const inner = isWhole
        ? fc.integer({ min, max })
        : fc.double({ min, max, noNaN: true }).map((value) => value + 0);
      return checked(fc.oneof(fc.constantFrom(min, max, Math.max(min, Math.min(max, 1))), inner));
    }
    case 'boolean':
      return fc.boolean();
    case 'picklist':
      return fc.constantFrom(...node.options!);
    case 'literal':
      return fc.constant(node.literal);
    case 'variant':
      return fc.oneof(...(node.options as readonly Node[]).map((option) => arbitrary(option, length)));
    case 'nullable':
      return fc.oneof(fc.constant(null), arbitrary(node.wrapped!, length));
    case 'optional':
      return fc.oneof(fc.constant(undefined), arbitrary(node.wrapped!, length));
    default:
      throw new Error(`The generator does not support schemas of type ${node.type}.`);
  }
}

function withoutMissing(record: object): object {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}

function any<Schema extends v.GenericSchema>(schema: Schema): fc.Arbitrary<v.InferOutput<Schema>> {
  return arbitrary(schema);
}

/** Makes a warm start valid: only in runs on rewards, within their steps, with shares that sum to at most 1. */
function soundWarmStart(warmStart: RunConfig['warmStart'], { method, steps }: Omit<RunConfig, 'model'>) {
  const { updates = 0, full, short, ...rest } = warmStart ?? {};
  if (method !== 'rl' || updates >= steps || updates === 0) return {};
  const shares = full === undefined || short === undefined ? {} : { full, short: Math.min(short, 1 - full) };
  return { warmStart: withoutMissing({ updates, ...rest, ...shares }) };
}

/** Any settings that a link can contain: configurations with presets and models of the page. */
export const anyConfig: fc.Arbitrary<RunConfig> = fc
  .record(
    Object.fromEntries(
      Object.entries<unknown>(runConfigSchema.entries).map(([name, entry]) => [
        name,
        name === 'preset' ? fc.constantFrom(...Object.keys(presets)) : arbitrary(entry as Node),
      ]),
    ),
  )
  .map((drawn) => {
    const { model, warmStart, ...rest } = drawn as RunConfig;
    return {
      ...rest,
      ...soundWarmStart(warmStart, rest),
      model: model.kind === 'embedded' ? { ...model, name: embeddedModels[model.name.length % 5] } : model,
    };
  });

/** A file may hold the ending of old records, which is read under another name. */
const underNewNames = ({ report, verdict }: Evaluation): Evaluation => ({ report, ...(verdict && { verdict: renamed(verdict) }) }); // prettier-ignore
const steps = fc.uniqueArray(any(stepSchema), { maxLength: 4, selector: ({ step }) => step });
const evals = fc.uniqueArray(any(evaluationSchema).map(underNewNames), { maxLength: 3, selector: ({ report }) => report.step }); // prettier-ignore
const rollouts = fc.array(fc.array(any(rolloutSchema), { minLength: 1, maxLength: 3 }), { maxLength: 2 });
const { record, checkpoint } = manifestSchema.entries;
const { trainer, step, updates, layout } = checkpoint.wrapped.entries;
const weights = fc.array(fc.oneof(fc.float(), fc.constant(1)), { minLength: 3, maxLength: 3 }).map((values) => new Float32Array(values)); // prettier-ignore

export const anyRun: fc.Arbitrary<RunFile> = fc
  .record({
    record: any(record),
    steps,
    evals,
    alerts: fc.array(any(alertSchema), { maxLength: 2 }),
    rollouts,
    checkpoint: fc.option(
      fc.record({
        trainer: any(trainer).map(({ lastEnding, ...rest }) => ({ ...rest, lastEnding: lastEnding && renamedAlone(lastEnding) })), // prettier-ignore
        step: any(step),
        updates: any(updates),
        layout: any(layout),
        weights,
      }),
    ),
  })
  .map(({ record, steps, evals, alerts, rollouts, checkpoint }) => ({
    history: {
      record,
      steps: steps.sort((a, b) => a.step - b.step),
      evals: evals.sort((a, b) => a.report.step - b.report.step),
      alerts,
    },
    // In order of the steps.
    rollouts: [...new Map(rollouts.map((batch) => [batch[0].step, batch]))]
      .sort(([one], [other]) => one - other)
      .map(([step, batch]) => batch.map((rollout) => ({ ...rollout, step }))),
    checkpoint: checkpoint && {
      version: 1,
      config: record.config,
      step: checkpoint.step,
      trainer: checkpoint.trainer,
      policy: {
        parameters: checkpoint.weights,
        moment1: checkpoint.weights,
        moment2: checkpoint.weights,
        reference: null,
        updates: checkpoint.updates,
        ...(checkpoint.layout && { layout: checkpoint.layout }),
      },
    },
  })) as fc.Arbitrary<RunFile>;
