/** The one big button, what it does, and on what. */
import type { BackendWish } from '../../../workers/protocol';
import { completionsOf } from '../../run/config/config';
import type { Page } from '../page/page';
import { deviceWord, otherCardWords } from '../ui/device';
import { presetNames } from '../words/preset-names';
import { WatchWords } from './watch-words';
import { modelWords } from '../words/sizes';
import { cutOffRun, lastCheckpointStep } from '../runs/kept-runs';
import type { Session } from '../session/session';
import { contactsOf } from '../../share/contacts';
import { planWords, usePlan } from '../page/planned';
import { durationWords } from '../../run/estimate';
import { hidesEnding, plainName } from '../page/hiding';

const backendWords: Record<BackendWish, string> = {
  automatic: 'Automatic',
  webgpu: 'GPU (WebGPU)',
  wasm: 'CPU (WebAssembly)',
};

export function StartPanel({ page }: { page: Page }) {
  const faulty = page.faults.value.size > 0;
  // In a class, before one has taken a seat: all would run the same.
  const isSeatless = page.classroom.value !== null && page.seat.value === null;
  const { session } = page;
  const config = page.draft.value;
  const cut = cutOffRun(session.runs.value);
  const planned = usePlan(session, config);
  return (
    <div class="start stack">
      {cut === null ? null : (
        <p class="go-on">
          <button type="button" class="primary" onClick={() => void session.resume(cut.id)}>
            Resume {hidesEnding(page) ? 'your run' : plainName(page, cut.config)} from step{' '}
            {lastCheckpointStep(cut)}
          </button>
        </p>
      )}
      <div class="actions">
        <button
          type="button"
          class={`big ${cut === null ? 'primary' : ''}`}
          disabled={faulty || isSeatless}
          onClick={() => void session.start(config)}
        >
          Train{planned?.refusal === null ? `, about ${durationWords(planned.seconds)}` : ''}
        </button>
        <p class="what">
          {hidesEnding(page) ? (
            'Trains'
          ) : (
            <>
              Trains <b>{presetNames[config.preset]}</b>
            </>
          )}{' '}
          here: {modelWords(config.model)}, {config.steps} steps, {completionsOf(config)} answers each.{' '}
          {contactsOf(config, location.href).length > 0
            ? `Marble downloads its files after you agree, and shows their size${planned === null ? ', time and memory' : ''} before.`
            : `No download beyond this page, nothing leaves this ${deviceWord()}.`}
        </p>
        <WatchWords page={page} config={config} />
        {planned === null ? null : (
          <p class="what">
            {planned.refusal === null
              ? `Takes ${planWords(planned)}; less if answers are shorter.`
              : `It does not fit here. ${planned.refusal.message} ${planned.refusal.nextStep}`}
          </p>
        )}
        {globalThis.isSecureContext ? null : (
          <p class="what">
            This page was opened over plain http. Browsers then offer no GPU, and the page does not notice if
            another tab trains. Runs are kept. Train in one tab only.
          </p>
        )}
        <p role="status">
          {faulty
            ? (page.faults.value.get('model') ??
              'Correct the marked setting below, or choose a preset again.')
            : isSeatless
              ? 'First type your number or your name above.'
              : ''}
        </p>
      </div>
      {page.lesson.value ? null : <BackendChoice session={session} />}
    </div>
  );
}

function BackendChoice({ session }: { session: Session }) {
  const capabilities = session.capabilities.value;
  return (
    <label class="backend row">
      Runs on
      <select
        value={session.wish.value}
        onChange={(event) => (session.wish.value = event.currentTarget.value as BackendWish)}
      >
        {Object.entries(backendWords).map(([name, words]) => (
          <option key={name} value={name}>
            {words}
          </option>
        ))}
      </select>
      <small>
        {capabilities === null
          ? `Looking at what this ${deviceWord()} offers …`
          : capabilities.adapter === null
            ? 'This browser offers no WebGPU, so the CPU will do it.'
            : `This browser offers WebGPU on ${capabilities.adapter}. Automatic takes the CPU for models below a million weights.`}{' '}
        {otherCardWords(capabilities?.adapter ?? null)}
      </small>
    </label>
  );
}
