import { h } from 'preact';
import { expect, it } from 'vitest';
import { Alerts, alertsToShow } from '../../../src/app/verdict/alerts';
import type { Alert } from '../../../src/run/record/events';
import { drawn } from '../../fixtures/little-dom';

const alert = (code: string): Alert => ({ step: 1, code, severity: 'info', cause: '', nextStep: '' });

it('a hidden verdict does not leak through the notes on the run', () => {
  const alerts = ['rl/kl-spike', 'rl/early-warning', 'rl/thinking-lost'].map(alert);
  expect(alertsToShow(alerts, true).map(({ code }) => code)).toEqual(['rl/kl-spike']);
  expect(alertsToShow(alerts, false)).toEqual(alerts.slice(0, 2)); // the verdict says the last
});

it.each([
  [100, 100],
  [20_000, 101],
])('alerts of a file, %i of them, are drawn in %i lines', (count, lines) => {
  const alerts = Array.from({ length: count }, () => alert('rl/kl-spike'));
  expect(drawn(h(Alerts, { alerts })).all('li')).toHaveLength(lines);
});
