import { signal } from '@preact/signals';
import { h } from 'preact';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Page } from '../../../src/app/page/page';
import { makeGuess, tellsEnding } from '../../../src/app/run/guess';
import { VerdictLine } from '../../../src/app/run/verdict-line';
import { viewOfKept, type RunView } from '../../../src/app/session/run-view';
import { presets } from '../../../src/run/config/presets';
import { newRunRecord } from '../../../src/run/record/new-run';
import type { HideablePart } from '../../../src/share/link-extras';
import { drawn, stubDocument } from '../../fixtures/little-dom';
import { evalReport, verdict } from '../../run/verdict/verdicts';

beforeAll(() => stubDocument());
afterAll(() => vi.unstubAllGlobals());

const ending = 'stops thinking' as const;
const wrong = { ...verdict().wrong!, count: 100, before: 0.65, now: 0.2 };
const faithfulWrong = { ...verdict().faithfulWrong!, before: 0.58, now: 0.2 };

/** A run of 60 steps whose tests of these steps all say that it stops thinking. */
function runOf(id: string, ...tested: readonly number[]): RunView {
  const config = presets['ladder-12k'];
  const looks = tested.map((step) => ({
    report: evalReport({ step }),
    verdict: verdict({ step, ending, wrong, faithfulWrong, provisional: step < config.steps }),
  }));
  const record = { ...newRunRecord(config, 'a run', {}), id, step: tested.at(-1) ?? 0 };
  const evals = [{ report: evalReport() }, ...looks];
  return viewOfKept('live', { record, steps: [], evals, alerts: [], rolloutSteps: [] });
}

const pageWith = (...hidden: HideablePart[]): Page =>
  ({
    session: { runOf: () => undefined },
    hidden: signal(hidden),
    classroom: signal(null),
  }) as unknown as Page;

function lineOf(page: Page, view: RunView): { text: string; choices: number } {
  const line = drawn(h(VerdictLine, { page, view, onUpdate: () => undefined }));
  const told = { text: line.text(), choices: line.all('input').length };
  line.close();
  return told;
}

describe('the ending of a run', () => {
  it('is told once it is guessed or the run is over, and never while the verdict is hidden', () => {
    const running = runOf('running', 20, 30);
    expect(tellsEnding(pageWith(), running)).toBe(false);
    expect(tellsEnding(pageWith(), runOf('over', 30, 60))).toBe(true);
    makeGuess(running, 'stops');
    expect(tellsEnding(pageWith(), running)).toBe(true);
    expect(tellsEnding(pageWith('verdict'), running)).toBe(false);
  });

  it('can be guessed while the verdict is hidden, and is held against the guess once it is shown', () => {
    const over = runOf('hidden', 30, 60);
    expect(lineOf(pageWith('verdict'), over)).toEqual({
      text: 'Your guess:  keeps fakes stopsWhat the update did',
      choices: 3,
    });
    makeGuess(over, 'stops');
    expect(lineOf(pageWith('verdict'), over).choices).toBe(3);
    expect(lineOf(pageWith(), over).text).toMatch(/^It stops thinking\. Your guess: stops ✓/);
  });

  it('has the figures beside it that decide it', () => {
    expect(lineOf(pageWith(), runOf('decided', 30, 60)).text).toMatch(
      /^It stops thinking\..*hard questions 65 → 20 % right, true thinking 58 → 20 %/,
    );
  });
});
