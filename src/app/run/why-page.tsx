/** Explains the ending of a run: rewards as dots, and one question before and after as a picture. */
import { useEffect, useMemo } from 'preact/hooks';
import { presets } from '../../run/config/presets';
import { standingOf } from '../../run/verdict/ending';
import { recordingOf, viewOfRecording } from '../page/recording';
import { rungs } from '../../run/recording/recording-file';
import type { Page } from '../page/page';
import { seatOf } from '../page/hiding';
import { seatTitle } from '../../run/sweep/seats';
import { valueWords } from '../words/run-words';
import { FirstAndNow } from '../story/rollouts';
import { paidStep } from '../../run/recording/paid-step';
import { seenWords } from '../words/ending-words';
import { WhatPaid } from '../verdict/what-paid';

/** @param props.id - ID of a kept run, or the preset of a recording */
export function WhyPage({
  id,
  ...page
}: Pick<Page, 'session' | 'places' | 'recordings' | 'draft' | 'classroom' | 'ofClass'> & { id: string }) {
  const { session, places } = page;
  const recording = recordingOf(page.recordings.value, { preset: id });
  const recorded = useMemo(() => (recording === null ? null : viewOfRecording(recording)), [recording]);
  useEffect(() => {
    if (!rungs.some(({ preset }) => preset === id)) void session.open(id);
  }, [id]);
  const view = recorded ?? session.shown.value;
  if (view === null || (view !== recorded && view.id !== id)) return <h1 tabIndex={-1}>Why?</h1>;
  const evaluations = view.evaluations.value;
  const standing = standingOf(evaluations);
  const seat = seatOf(page, view.id);
  const rung = rungs.find(({ preset }) => preset === view.config.preset);
  const goToRun = (tab?: string): void => {
    if (recording !== null) {
      page.draft.value = presets[id];
      session.shown.value = null; // otherwise a previously opened run would be shown
    }
    places.go(tab === undefined ? { name: 'run' } : { name: 'run', tab });
  };
  return (
    <div class="why-page stack">
      <div class="panel-head">
        <h1 tabIndex={-1}>
          {seat === null ? null : `${seatTitle(seat)}: `}
          {rung === undefined ? valueWords('preset', view.config.preset) : `The ${rung.name} model`}:{' '}
          {standing === null ? 'not judged' : standing.ending}. Why?
        </h1>
        <div class="actions">
          {/* Hidden in a class, since it leads to an address without the class. */}
          {rung === undefined || page.classroom.value !== null ? null : (
            <button onClick={() => places.go({ name: 'ladder' })}>Back to the three</button>
          )}
          <button onClick={() => goToRun('ask')}>Ask it yourself</button>
          <button onClick={() => goToRun()}>All of this run</button>
        </div>
      </div>
      <p>
        In the test, first and last:{' '}
        {seenWords(evaluations.at(-1)?.verdict ?? null, rung === undefined ? 'tokens' : 'words')}.
        {recording === null ? '' : ' Recorded.'}
      </p>
      <WhatPaid
        steps={recording?.paid.map(({ step }) => step) ?? view.rolloutSteps.value}
        paying={view.config}
        ending={standing?.ending}
        load={async (step) =>
          recording?.paid.find((paid) => paid.step === step) ?? paidStep(step, await view.rolloutsAt(step))
        }
      />
      <FirstAndNow key={id} evaluations={evaluations} ending={standing?.ending} />
    </div>
  );
}
