import { afterAll, expect, it, vi } from 'vitest';
import { saveChartImage } from '../../../src/app/charts/chart-image';

afterAll(() => vi.unstubAllGlobals());

it('a saved chart names the step of the values in its legend', async () => {
  const texts: string[] = [];
  const draw = (name: unknown) => (text: string) => void (name === 'fillText' && texts.push(text));
  const context = new Proxy({}, { get: (_, name) => draw(name), set: () => true });
  const canvas = { getContext: () => context, toBlob: (done: (blob: null) => void) => done(null) };
  vi.stubGlobal('document', { createElement: () => canvas });
  vi.stubGlobal('getComputedStyle', () => ({}));
  vi.stubGlobal('devicePixelRatio', 1);
  const figure = { querySelector: () => ({}), querySelectorAll: () => [] } as unknown as Element;
  await saveChartImage(figure, 'Accuracy', 'step 40');
  await saveChartImage(figure, 'Accuracy', '');
  expect(texts).toEqual(['Accuracy, step 40', 'Accuracy']);
});
