/** Page of a run: the start form, the run while it trains, and the kept runs. */
import { SharedLinkScreen } from '../link/shared-link-screen';
import { hidesEnding, shownName } from '../page/hiding';
import { usePlan } from '../page/planned';
import { cutOffRun } from '../runs/kept-runs';
import { choosePreset } from '../settings/form';
import { Guard } from '../ui/guard';
import { later } from '../ui/later';
import { unreadRun } from '../runs/run-files';
import type { FormStore } from '../page/form-store';
import type { Page } from '../page/page';
import type { RefObject } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { RunPanel } from './run-panel';
import { StartPanel } from './start-panel';
import { AllSettings } from '../settings/settings';
import { Findings } from './findings';
import { sameConfig } from '../../run/config/fields';
import { presetDescriptions, presetGroups, presetNames } from '../words/preset-words';
import { createRunView, type Activity } from '../session/run-view';

const StoredModels = later(() => import('../models/stored-models').then((part) => part.StoredModels));
const SenderLine = later(() => import('../link/sender-line').then((part) => part.SenderLine));
const Runs = later(() => import('../runs/runs-screen').then((part) => part.Runs));
const Seat = later(() => import('../class/seat').then((part) => part.Seat));

type RunPlaceProps = FormStore &
  Pick<Page, 'session' | 'places' | 'library' | 'lesson' | 'lookedAt' | 'ladder' | 'ofClass' | 'recorded'>;

export function RunPlace(page: RunPlaceProps) {
  const { session, draft, sharedLink, places } = page;
  const isEndingHidden = hidesEnding(page);
  const view = session.shown.value;
  const busy = session.activity.value !== 'idle';
  const isOfClass = page.classroom.value !== null;
  const isFixed = page.lesson.value;
  const config = draft.value;
  const planned = usePlan(session, config) ?? null;
  // The empty view of a run that is being prepared.
  const toCome = useMemo(() => createRunView('live', config), [config]);
  // In a class or a lesson the recording stays hidden, since it gives away how such runs end.
  const shown = view ?? (busy ? toCome : isOfClass || isFixed ? null : page.recorded.value);
  // Switches to the layout of a run at the click, so that nothing moves when training begins.
  const isOn = view !== null || busy;
  const ofView = view?.id == null ? undefined : unreadRun(session, view.id);
  const hero = useRef<HTMLDivElement>(null);
  const stage = useRef<HTMLElement>(null);
  const train = useRef<HTMLButtonElement>(null);
  const focusTrain = (): void => {
    requestAnimationFrame(() => train.current?.focus()); // after the new settings have rendered
  };
  useKeptFocus(hero, stage, session.activity.value, view === null);
  const sent = sharedLink.value;
  const isSenders = sent !== null && sameConfig(sent.config, view?.config ?? config);
  const fingerprint = sent?.fingerprint;
  if (fingerprint !== undefined) void SenderLine.ready(); // preloaded, since a late chunk would shift the layout
  const place = places.place.value;
  const isSame = view !== null && sameConfig(config, view.config);
  useEffect(() => {
    if (place.name === 'run' && place.tab === 'train') focusTrain();
  }, [place]);
  const cut = isOn ? null : cutOffRun(session.runs.value);
  return (
    <>
      <div class="hero stack" ref={hero}>
        <div class={isOn ? 'visually-hidden' : ''}>
          <h1 tabIndex={-1}>Does it reason better, or does it stop reasoning?</h1>
          <p>
            A language model reads a story and answers a question on it. Reinforcement learning rewards it for{' '}
            {config.reward.preset === 'faithful' ? 'correct reasoning' : 'right answers'}.
          </p>
        </div>
        {isOn ? null : <SharedLinkScreen {...page} />}
        {isOn || isOfClass ? (
          <section
            class={isOn ? `panel bar-of-run ${busy ? '' : 'has-ended'}` : 'stack'}
            aria-label="Run"
            ref={stage}
            tabIndex={-1}
          >
            {isOn ? (
              <Guard of={ofView}>
                <RunPanel {...page} view={view ?? toCome} memory={planned?.memory ?? null} />
              </Guard>
            ) : (
              <Seat form={page} isEndingHidden={isEndingHidden} />
            )}
          </section>
        ) : null}
        {cut === null ? null : (
          <p>
            <button class="primary" onClick={() => void session.resume(cut.id)}>
              Resume {isEndingHidden ? 'your run' : shownName(false, cut.config)} from step{' '}
              {cut.checkpointStep ?? 0}
            </button>
          </p>
        )}
        {isFixed && isOfClass && isSame && !busy ? null : (
          <StartPanel {...page} {...{ planned, isOn, train }} isPrimary={cut === null && !isSame} />
        )}
      </div>
      {isOn && isSenders && fingerprint !== undefined ? (
        <SenderLine key={view?.id} sent={{ ...sent, fingerprint }} view={view ?? toCome} session={session} />
      ) : null}
      {isFixed ? null : (
        // A new element closes the settings when training starts, so that the curves are in view.
        <div class="choosing row" key={busy ? 'training' : 'choosing'}>
          {isEndingHidden ? null : (
            <Experiments
              chosen={config.preset}
              onChoose={(preset) => {
                choosePreset(page, preset);
                focusTrain();
              }}
            />
          )}
          <AllSettings form={page} session={session} />
        </div>
      )}
      {isOn || shown === null ? null : (
        <p class="recording">
          <b class="badge">Recording</b> “{presetNames[shown.config.preset]}”. This is how your own run will
          look.
        </p>
      )}
      {shown === null ? null : (
        <Guard of={ofView}>
          <Findings {...page} view={shown} isOfRun={isOn} />
        </Guard>
      )}
      {isOn ? null : <Runs {...page} />}
      <StoredModels session={session} />
    </>
  );
}

/**
 * Moves the focus from a removed button to its successor.
 *
 * @param place - element that holds the buttons
 * @param stage - element that holds the successors; takes the focus while none is ready
 */
function useKeptFocus(
  place: RefObject<HTMLElement | null>,
  stage: RefObject<HTMLElement | null>,
  activity: Activity,
  isStart: boolean,
): void {
  const wasInside = useRef(false);
  useEffect(() => {
    const element = place.current!;
    const note = (event: FocusEvent): void => {
      wasInside.current = element.contains(event.target as Node);
    };
    document.addEventListener('focusin', note);
    return () => document.removeEventListener('focusin', note);
  }, []);
  useEffect(() => {
    const { activeElement } = document;
    const isLost = activeElement === document.body || activeElement === stage.current;
    if (!wasInside.current || !isLost) return;
    // While a run is being prepared, its only button is Stop, which a second press must not trigger.
    const isPreparing = ['opening', 'pausing', 'stopping'].includes(activity);
    const button = (stage.current ?? place.current!).querySelector<HTMLElement>('button:not(:disabled)');
    (isPreparing ? stage.current : (button ?? stage.current))?.focus();
  }, [activity, isStart]);
}

/** List of the experiments in groups. Choosing one fills the form of the start panel. */
function Experiments({ chosen, onChoose }: { chosen: string; onChoose: (preset: string) => void }) {
  return (
    <>
      <h2>Experiments</h2>
      {presetGroups.map(({ title, about, presets }) => (
        <details key={title} name="experiments" class="panel">
          <summary>{title}</summary>
          <p class="explain">{about}</p>
          <ul class="experiments">
            {presets.map((preset) => (
              <li key={preset}>
                <button aria-pressed={preset === chosen} onClick={() => onChoose(preset)}>
                  {presetNames[preset]}
                </button>{' '}
                <small>{presetDescriptions[preset]}</small>
              </li>
            ))}
          </ul>
        </details>
      ))}
    </>
  );
}
