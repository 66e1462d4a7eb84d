import { signal } from '@preact/signals';
import { h } from 'preact';
import { expect, it, vi } from 'vitest';
import { presets } from '../../../src/run/config/presets';
import { drawn, stubDocument } from '../../fixtures/little-dom';
import { pageOf } from '../page-of';

it('a class link with the settings of the form says how many steps the preset has, if it is known', async () => {
  stubDocument();
  vi.stubGlobal('location', new URL('https://example.org/'));
  vi.stubGlobal('addEventListener', () => undefined);
  const { ClassPage } = await import('../../../src/app/class/class-page');
  const { chosenExperiment } = await import('../../../src/app/class/class-state');
  chosenExperiment.value = Number.MAX_SAFE_INTEGER;
  const textOf = (preset: string): string => {
    const draft = signal({ ...presets['ladder-12k'], preset, steps: 40 });
    const none = { recordings: signal(null), droppedRuns: signal([]) };
    const shown = drawn(h(ClassPage, pageOf({}, { draft, ...none })));
    const text = shown.text();
    shown.close();
    return text;
  };
  expect(textOf('ladder-12k')).toContain('40 steps, as your settings say (the preset has 60).');
  expect(textOf('imported-trl')).toContain('40 steps.');
});
