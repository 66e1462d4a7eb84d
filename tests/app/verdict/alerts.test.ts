import { describe, expect, it } from 'vitest';
import { alertsToShow } from '../../../src/app/verdict/alerts';
import type { Alert } from '../../../src/run/record/events';

describe('a hidden verdict', () => {
  it('does not leak through the notes on the run', () => {
    const alert = (code: string): Alert => ({ step: 1, code, severity: 'info', cause: '', nextStep: '' });
    const alerts = ['rl/kl-spike', 'rl/early-warning', 'rl/thinking-lost'].map(alert);
    expect(alertsToShow(alerts, ['verdict']).map(({ code }) => code)).toEqual(['rl/kl-spike']);
    expect(alertsToShow(alerts, ['settings'])).toEqual(alerts);
  });
});
