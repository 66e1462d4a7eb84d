import { signal } from '@preact/signals';
import { h } from 'preact';
import { beforeAll, expect, it } from 'vitest';
import { SweepForm } from '../../../src/app/sweeps/sweep-form';
import { presets } from '../../../src/run/config/presets';
import { drawn, stubDocument } from '../../fixtures/little-dom';
import { pageOf } from '../page-of';

beforeAll(stubDocument);

it('a sweep over the KL penalty names the runs in which it has no place', () => {
  const textOf = (fields: [string, string][]): string => {
    const page = pageOf(
      { plan: () => Promise.resolve(null) },
      {
        ...{ draft: signal(presets['ladder-25k']), faults: signal(new Map()) },
        ...{ sweepFields: signal(new Map(fields)), queue: { atOnce: signal(1) } },
      },
    );
    const shown = drawn(h(SweepForm, { ...page, isEndingHidden: false }));
    const text = shown.text();
    shown.close();
    return text;
  };
  const kl: [string, string] = ['sweep.klCoefficient', '0,0.05,0.1'];
  expect(textOf([kl, ['sweep.algorithm', 'grpo,dapo']])).toContain('changes nothing in 2 runs');
  expect(textOf([kl])).not.toContain('changes nothing');
});
