/** All presets with what a run of each takes, and "Check this computer", which measures it here. */
import { useSignal } from '@preact/signals';
import { proxy } from 'comlink';
import { useEffect } from 'preact/hooks';
import type { CheckProgress, ComputerCheck, PresetCost } from '../../../workers/protocol';
import { sameModel, type RunConfig } from '../../run/config/config';
import { presetOf, presets } from '../../run/config/presets';
import { sizeWords } from '../words/sizes';
import { copyText } from '../ui/copy-text';
import { deviceWord } from '../ui/device';
import { useFound } from '../ui/use-found';
import type { Page } from '../page/page';
import { presetDescriptions } from '../words/preset-descriptions';
import { presetNames } from '../words/preset-names';
import { hasRecording } from '../page/recording';
import { checkText, computerVerdict, memoryWords, presetVerdict, recordedTime } from './check-words';

export function Gallery({ page }: { page: Page }) {
  const costs = useSignal<readonly PresetCost[] | null>(null);
  const check = page.keptCheck.check.value;
  return (
    <details
      class="panel gallery"
      onToggle={(event) => {
        if (!event.currentTarget.open || costs.value !== null) return;
        void page.session.attempt((service) => service.costs()).then((found) => (costs.value = found));
      }}
    >
      <summary>
        All {Object.keys(presets).length} experiments, with time, memory and download
        <small> and a check of what this {deviceWord()} can do</small>
      </summary>
      <CheckPanel page={page} />
      <ul class="presets">
        {Object.keys(presets).map((preset) => (
          <PresetCard
            key={preset}
            page={page}
            preset={preset}
            cost={(check?.costs ?? costs.value)?.find((cost) => cost.preset === preset) ?? null}
          />
        ))}
      </ul>
    </details>
  );
}

function CheckPanel({ page }: { page: Page }) {
  const { session, keptCheck } = page;
  const progress = useSignal<CheckProgress | null>(null);
  const isStopped = useSignal(false);
  const check = keptCheck.check.value;
  const isRunning = progress.value !== null;
  // Whoever leaves the page's first screen needs the computer for something else.
  useEffect(() => () => void (isStopped.value = true), []);
  const run = async (): Promise<void> => {
    isStopped.value = false;
    progress.value = { done: 0, total: 1, preset: '', backend: 'wasm' };
    const goOn = proxy((now: CheckProgress) => {
      progress.value = now;
      return Promise.resolve(!isStopped.value);
    });
    const found = await session.attempt((service) => service.check(goOn));
    progress.value = null;
    if (found !== null && found.times.length > 0) keptCheck.keep(found);
  };
  return (
    <div class="check stack">
      <div class="actions">
        <button
          type="button"
          class={check === null ? 'primary' : ''}
          disabled={isRunning || session.activity.value !== 'idle'}
          onClick={() => void run()}
        >
          {check === null ? `Check this ${deviceWord()}` : 'Check again'}
        </button>
        {isRunning ? (
          <button type="button" onClick={() => (isStopped.value = true)}>
            Stop the check
          </button>
        ) : (
          <span class="explain">
            Some tokens are sampled and one batch is trained on, with random weights of each size: nothing is
            downloaded.
          </span>
        )}
      </div>
      {isRunning ? <CheckStatus progress={progress.value!} isStopping={isStopped.value} /> : null}
      <div role="status">{check === null || isRunning ? null : <Verdict check={check} />}</div>
    </div>
  );
}

function CheckStatus({ progress, isStopping }: { progress: CheckProgress; isStopping: boolean }) {
  const { done, total, preset, backend } = progress;
  return (
    <>
      <p class="facts">
        {isStopping
          ? 'Stopping after this piece.'
          : preset === ''
            ? 'Looking at what there is.'
            : `Timing ${presetNames[preset]} on ${backend === 'webgpu' ? 'the GPU' : 'the CPU'}: piece ${done + 1} of ${total}.`}
      </p>
      <progress max={total} value={done} aria-label="Pieces that are timed" />
    </>
  );
}

function Verdict({ check }: { check: ComputerCheck }) {
  const said = useSignal('');
  const copy = async (): Promise<void> => {
    said.value = (await copyText(checkText(check))) ? 'Copied.' : 'This browser does not let the page copy.';
  };
  return (
    <>
      <p class="verdict-of-check">{computerVerdict(check)}</p>
      <p class="actions facts">
        Checked on {new Date(check.checkedAt).toISOString().slice(0, 10)}.
        <button type="button" onClick={() => void copy()}>
          Copy as text
        </button>
        <span>{said.value}</span>
      </p>
    </>
  );
}

function PresetCard({ page, preset, cost }: { page: Page; preset: string; cost: PresetCost | null }) {
  const check = page.keptCheck.check.value;
  const isChosen = page.draft.value.preset === preset;
  const recorded = recordedTime(preset, page.recordings.value ?? []);
  return (
    <li class={isChosen ? 'chosen' : ''}>
      <header>
        <h2>
          {presetNames[preset]} <code class="preset-code">{preset}</code>
        </h2>
        <button
          type="button"
          aria-pressed={isChosen}
          onClick={() => {
            page.draft.value = presets[preset];
            page.faults.value = new Map();
          }}
        >
          {isChosen ? 'Chosen' : 'Choose'}
          <span class="visually-hidden"> “{presetNames[preset]}” of all experiments</span>
        </button>
      </header>
      <p>{presetDescriptions[preset]}</p>
      <dl>
        <dt>Time</dt>
        <dd>
          {check !== null
            ? presetVerdict(preset, check)
            : (recorded ?? `not known: check this ${deviceWord()}`)}
        </dd>
        <dt>Memory</dt>
        <dd>{cost === null ? '…' : memoryWords(cost)}</dd>
        <dt>Download</dt>
        <dd>
          {presets[preset].model.kind === 'embedded'
            ? 'none beyond this page'
            : cost === null
              ? '…'
              : `about ${sizeWords(cost.download)}, after you agree`}
        </dd>
      </dl>
      {hasRecording(preset) ? <p class="facts">A recording of it is shown below.</p> : null}
    </li>
  );
}

/** What a run of a model of the Hub takes before and after it begins, for the button that begins it. */
export function HubTakes({ page, config }: { page: Page; config: RunConfig }) {
  const costs = useFound(() => page.session.attempt((service) => service.costs()), []);
  const check = page.keptCheck.check.value;
  const cost = costs?.find(({ preset }) => preset === config.preset);
  const preset = presetOf(config);
  const isItsModel = preset !== null && sameModel(preset, config);
  const size =
    cost === undefined || !isItsModel ? 'a download' : `about ${sizeWords(cost.download)} to download`;
  return (
    <small class="takes">
      {size}, after you agree; then{' '}
      {check === null || !isItsModel ? 'hours on a GPU' : presetVerdict(config.preset, check)}
    </small>
  );
}
