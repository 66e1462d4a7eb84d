/** Screens and notices for errors and waits: what happened, what to do about it, and the possible actions. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { toErrorReport, type ErrorReport } from '../../base/error';
import { chosenFiles, ChooseModelFiles } from '../models/model-picker';
import { saveRun } from '../runs/run-files';
import type { Session } from '../session/session';
import { withReader } from '../data/chosen-data';
import type { Wait } from '../session/visitor';
import { hidesEnding, shownName } from '../page/hiding';
import type { Page } from '../page/page';
import { completionsOf, type RunConfig } from '../../run/config/config';

/** Errors after which the CPU can do what the GPU did not. */
const ofGpu = /^gpu\/(?!no-wasm)|^model\/(adapter|memory)-too-small/;
/** Errors of links. The other errors under `share/` are of files. */
const ofLink = /^share\/(?!.*-file$)/;

type Told = Pick<Page, 'session' | 'lesson'>;

export function ErrorScreen(props: Told & Pick<Page, 'draft' | 'places'> & { error: ErrorReport }) {
  const { error, session, draft, places } = props;
  const { code } = error;
  const heading = useRef<HTMLHeadingElement>(null);
  const [first, ...others] = error.message.split(/(?<=\.) (?=\p{Lu})/u);
  useEffect(() => heading.current?.focus(), [error]);
  const isStatus = code === 'store/other-tab'; // information rather than an error
  const shown = code === 'gpu/out-of-memory' ? session.shown.value : null;
  const smaller = shown && withHalfBatch(shown.config);
  const again = session.again.value;
  const isOfLink = ofLink.test(code);
  const close = (): void => void (session.screen.value = null);
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
      <div class="actions">
        {again?.error !== error ? null : code === 'app/choose-files' ? (
          <ChooseModel session={session} onChosen={again.act} />
        ) : (
          remedy('Try again', again.act)
        )}
        {code === 'app/part-missing' && remedy('Reload the page', () => location.reload())}
        {ofGpu.test(code) &&
          remedy('Use the CPU instead', () => {
            session.wish.value = 'wasm';
            close();
          })}
        {smaller &&
          remedy(
            `Start again with ${smaller.optimizer.microBatch} completions at once`,
            () => void session.start(smaller),
          )}
        {code === 'model/unknown-word' &&
          remedy('Use SmolLM2-135M, which reads them', () => {
            draft.value = withReader(draft.value);
            close();
            places.go({ name: 'run' });
          })}
        {isStatus ? null : <SaveButtons {...props} code={code} />}
        <button
          onClick={() => {
            // A reload would refuse the link again.
            if (isOfLink) history.replaceState(history.state, '', location.pathname + location.search);
            close();
          }}
        >
          {isOfLink ? 'Start from the default settings' : 'Back to the page'}
        </button>
      </div>
      <p class="code words quiet">{code}</p>
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

export function Notice(props: Told & { notice: ErrorReport }) {
  const { notice, session } = props;
  return (
    <div class="notice" role="status">
      <p>
        <b>{notice.message}</b> {notice.nextStep}
      </p>
      <div class="actions">
        <SaveButtons {...props} code={notice.code} />
        <button onClick={() => (session.notice.value = null)}>Close</button>
      </div>
    </div>
  );
}

/** After an error of the storage, saves the runs that it has refused, or else the run on show. */
function SaveButtons({ code, ...page }: Told & { code: string }) {
  const { session } = page;
  if (!code.startsWith('store/')) return null;
  const unkept = session.unkept.value;
  const id = session.shown.value?.id ?? null;
  const ids = unkept.length > 0 || id === null ? unkept : [id];
  return ids.map((one) => {
    const config = session.runOf(one)?.config;
    return (
      <button key={one} onClick={() => void saveRun(session, one, 'run.marble')}>
        Save {config === undefined ? 'the run' : shownName(hidesEnding(page), config)} as a file
      </button>
    );
  });
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
