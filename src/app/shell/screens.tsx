/** Screens and notices for errors and waits: what happened, what to do about it, and the possible actions. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { toErrorReport, type ErrorReport } from '../../base/error';
import { chosenFiles, ChooseModelFiles } from '../models/model-picker';
import { saveFile } from '../ui/files';
import { ReloadButton } from '../ui/later';
import type { Session } from '../session/session';
import { withReader } from '../data/chosen-data';
import type { Wait } from '../session/visitor';
import { shownName } from '../page/hiding';
import type { Page } from '../page/page';
import { completionsOf, type RunConfig } from '../../run/config/config';

const noGpu =
  'WebGPU is in Chrome and Edge from 113, in Safari from 26, and in Firefox from 141 on Windows (145 on a Mac with Apple silicon). On Linux it may have to be switched on (chrome://flags, “Unsafe WebGPU”). The small models run on the CPU as well, and the recording on this page needs nothing.';
const newerData =
  'It is left untouched. A reload fetches the newest page; if that does not help, start the run again from its link.';

/** Information beyond an error's own message. */
export const advice: Readonly<Record<string, string>> = {
  'gpu/no-webgpu': noGpu,
  'gpu/no-device': noGpu,
  'gpu/device-lost':
    'The system resets a GPU that seems to hang, and a sleeping laptop or a driver update takes it as well. Nothing is lost but the steps since the last checkpoint.',
  'store/full': 'Everything that was kept before is still good.',
  'store/newer': newerData,
  'store/unavailable':
    'In a private window a browser may forbid storage. A run trains all the same, but it is gone with the tab: save it as a file.',
  'model/unknown-word':
    'The embedded models have some forty words, those of their own stories. Other data need a model that reads English, for example the preset first-run-135m.',
  'rl/checkpoint-version': newerData,
  'rl/not-finite': 'The last checkpoint, where there is one, is from before and still good.',
};

/** True for errors after which the CPU can do what the GPU did not. */
const isOfGpu = ({ code }: ErrorReport): boolean =>
  (code.startsWith('gpu/') && code !== 'gpu/no-wasm') ||
  ['model/adapter-too-small', 'model/memory-too-small'].includes(code);

/** True for errors of links. The other errors under `share/` are of files. */
function isOfLink({ code }: ErrorReport): boolean {
  return code.startsWith('share/') && !code.endsWith('-file');
}

/** Closes the screen. Removes a refused link from the address, since a reload would refuse it again. */
function leave(session: Session, error: ErrorReport): void {
  if (isOfLink(error)) history.replaceState(history.state, '', location.pathname + location.search);
  session.screen.value = null;
}

type ErrorProps = Pick<Page, 'session' | 'draft' | 'places'> & {
  error: ErrorReport;
  isEndingHidden: boolean;
};

export function ErrorScreen({ error, session, draft, places, isEndingHidden }: ErrorProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const more = advice[error.code];
  const [first, ...others] = error.message.split(/(?<=\.) (?=\p{Lu})/u);
  useEffect(() => heading.current?.focus(), [error]);
  const lastRun = session.runs.value.find((run) => run.checkpointStep !== null);
  const offersFile = error.code.startsWith('store/') && error.code !== 'store/other-tab';
  const isStatus = error.code === 'store/other-tab'; // information rather than an error
  const shown = error.code === 'gpu/out-of-memory' ? session.shown.value : null;
  const smaller = shown && withHalfBatch(shown.config);
  const again = session.again.value;
  return (
    <section
      class={isStatus ? 'screen asks' : 'screen'}
      role={isStatus ? 'status' : 'alert'}
      aria-labelledby="screen-title"
    >
      <h2 id="screen-title" ref={heading} tabIndex={-1}>
        {first}
      </h2>
      <p>{[...others, error.nextStep].join(' ')}</p>
      {more === undefined ? null : <p>{more}</p>}
      <div class="actions">
        {again?.error !== error ? null : error.code === 'app/choose-files' ? (
          <ChooseModel session={session} onChosen={again.act} />
        ) : (
          remedy('Try again', again.act)
        )}
        {error.code === 'app/part-missing' ? <ReloadButton /> : null}
        {isOfGpu(error) &&
          remedy('Use the CPU instead', () => {
            session.wish.value = 'wasm';
            session.screen.value = null;
          })}
        {smaller &&
          remedy(
            `Start again with ${smaller.optimizer.microBatch} completions at once`,
            () => void session.start(smaller),
          )}
        {error.code === 'model/unknown-word' &&
          remedy('Use SmolLM2-135M, which reads them', () => {
            draft.value = withReader(draft.value);
            session.screen.value = null;
            places.go({ name: 'run' });
          })}
        {offersFile ? (
          <SaveButtons session={session} isEndingHidden={isEndingHidden} otherwise={lastRun?.id ?? null} />
        ) : null}
        <button onClick={() => leave(session, error)}>
          {isOfLink(error) ? 'Start from the default settings' : 'Back to the page'}
        </button>
      </div>
      <p class="code words quiet">{error.code}</p>
    </section>
  );
}

/** Button for a way out of an error. */
const remedy = (words: string, act: () => void) => (
  <button class="primary" onClick={act}>
    {words}
  </button>
);

/** Asks for the files of a model, which no page keeps. */
function ChooseModel({ session, onChosen }: { session: Session; onChosen: () => void }) {
  const take = (list: readonly File[]): void => {
    try {
      const { files } = chosenFiles(list);
      session.screen.value = null;
      void session.chooseFiles(files).then(onChosen);
    } catch (thrown) {
      session.notice.value = toErrorReport(thrown);
    }
  };
  return <ChooseModelFiles onFiles={take} />;
}

/** Milliseconds before a wait is announced. */
const LONG_WAIT = 1000;

export function WaitNotice({ wait }: { wait: Wait }) {
  const isLong = useSignal(false);
  useEffect(() => {
    const timer = setTimeout(() => (isLong.value = true), LONG_WAIT);
    return () => {
      clearTimeout(timer);
      isLong.value = false;
    };
  }, [wait]);
  if (!isLong.value) return null;
  return (
    <div class="notice" role="status">
      <p>{wait.words} …</p>
      <div class="actions">
        <button onClick={wait.cancel}>Cancel</button>
      </div>
    </div>
  );
}

export function Notice(props: { notice: ErrorReport; session: Session; isEndingHidden: boolean }) {
  const { notice, session, isEndingHidden } = props;
  return (
    <div class="notice" role="status">
      <p>
        <b>{notice.message}</b> {notice.nextStep}
      </p>
      <div class="actions">
        {notice.code.startsWith('store/') ? (
          <SaveButtons {...{ session, isEndingHidden }} otherwise={session.shown.value?.id ?? null} />
        ) : null}
        <button onClick={() => (session.notice.value = null)}>Close</button>
      </div>
    </div>
  );
}

/** Saves the runs that storage has refused. */
function SaveButtons(props: { session: Session; isEndingHidden: boolean; otherwise: string | null }) {
  const { session, isEndingHidden, otherwise } = props;
  const unkept = session.unkept.value;
  const ids = unkept.length > 0 || otherwise === null ? unkept : [otherwise];
  const save = async (id: string): Promise<void> => {
    const file = await session.attemptOn(id, (service) => service.runFile(id));
    if (file !== null) saveFile(`marble-${id.slice(0, 8)}.marble`, file);
  };
  const nameOf = (id: string): string => {
    const config = session.runOf(id)?.config;
    return ids.length === 1 || config === undefined ? 'the run' : shownName(isEndingHidden, config);
  };
  return (
    <>
      {ids.map((id) => (
        <button key={id} type="button" onClick={() => void save(id)}>
          Save {nameOf(id)} as a file
        </button>
      ))}
    </>
  );
}

/**
 * The run with half as many sequences per training pass; null if there is only one. The gradient is the same sum in more
 * passes, but it rounds differently, so this is a new run.
 */
export function withHalfBatch(config: RunConfig): RunConfig | null {
  const { optimizer } = config;
  const all = completionsOf(config);
  const now = optimizer.microBatch === 0 ? all : Math.min(optimizer.microBatch, all);
  return now < 2 ? null : { ...config, optimizer: { ...optimizer, microBatch: Math.ceil(now / 2) } };
}
