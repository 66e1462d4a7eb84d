/** Prepares a class: what all run, what varies between arms, how many seats, what stays hidden; as one link. */
import { useSignal } from '@preact/signals';
import { toErrorReport } from '../../base/error';
import { presets } from '../../run/config/presets';
import { runOfSeat, type Classroom } from '../../run/sweep/seats';
import { encodeLink } from '../../share/link';
import { mostSeats } from '../../share/link-extras';
import { reachWords } from '../link/address-reach';
import { PartTicks } from '../shell/hidden-parts';
import type { Page } from '../page';
import { presetDescriptions } from '../start/preset-descriptions';
import { presetNames } from '../start/preset-names';
import { hidesEnding, shownName } from '../shell/hiding';
import { Behind } from '../ui/behind';
import { copyText } from '../ui/copy-text';
import { armName } from '../sweeps/words';
import { chosenExperiment, hiddenParts, seats } from './class-state';
import { baseOf, experiments } from './experiments';
import { QrCode } from './qr-code';

export function ClassLink({ page }: { page: Page }) {
  const link = useSignal<string | null>(null);
  const said = useSignal('');
  const experiment = experiments.at(chosenExperiment.value);
  const base = experiment === undefined ? page.draft.value : baseOf(experiment, page.draft.value);
  const axes = experiment?.axes ?? {};
  const count = Number(seats.value);
  const fits = Number.isInteger(count) && count >= 1 && count <= mostSeats;
  const room: Classroom = { base, axes, seats: count };

  const prepare = async (): Promise<void> => {
    const address = new URL(location.href);
    try {
      address.hash = await encodeLink(base, {
        sweep: axes,
        seats: count,
        hide: [...hiddenParts.value],
      });
    } catch (thrown) {
      said.value = toErrorReport(thrown).message;
      return;
    }
    link.value = address.href;
    const isCopied = await copyText(address.href);
    said.value = `${isCopied ? 'Copied. Put it where the class finds it.' : 'Copy this address.'}${reachWords()}`;
  };
  const changed = (): void => {
    link.value = null;
    said.value = '';
  };
  return (
    <section class="panel on-screen" aria-labelledby="class-link">
      <h2 id="class-link">Prepare the link</h2>
      <fieldset class="field experiments">
        <legend>What the class runs</legend>
        {experiments.map(({ title, question }, index) => (
          <label key={title} class="tick">
            <input
              type="radio"
              name="experiment"
              checked={chosenExperiment.value === index}
              onChange={() => {
                chosenExperiment.value = index;
                changed();
              }}
            />{' '}
            {title}. <span class="facts">{question}</span>
          </label>
        ))}
        <label class="tick">
          <input
            type="radio"
            name="experiment"
            checked={chosenExperiment.value === experiments.length}
            onChange={() => {
              chosenExperiment.value = experiments.length;
              changed();
            }}
          />{' '}
          What the settings of this page say. <span class="facts">{shownName(page, page.draft.value)}</span>
        </label>
      </fieldset>
      <p class="explain">
        {hidesEnding(page) ? null : (
          <>
            <b>{presetNames[base.preset] ?? base.preset}</b>: {presetDescriptions[base.preset] ?? ''}{' '}
          </>
        )}
        {base.steps} steps
        {base.steps === presets[base.preset]?.steps
          ? ''
          : `, as your settings say (the preset has ${presets[base.preset]?.steps})`}
        .
      </p>
      <label class="field seats">
        <span>Seats</span>
        <input
          type="text"
          inputMode="numeric"
          value={seats.value}
          aria-describedby="explain-seats"
          aria-invalid={!fits}
          onInput={(event) => {
            seats.value = event.currentTarget.value.trim();
            changed();
          }}
        />
        <small id="explain-seats" class={fits ? '' : 'fault'}>
          {fits
            ? 'Students type a number from 1 to this, or their name. Either gives a seed of its own, always the same.'
            : `A whole number from 1 to ${mostSeats}.`}
        </small>
      </label>
      {fits ? (
        <p class="explain">
          For example:{' '}
          {[...new Set([1, 2, count])]
            .filter((number) => number <= count)
            .map((number) => {
              const { arm, config } = runOfSeat(room, String(number));
              return `number ${number}: seed ${config.seed}${arm === '' ? '' : `, ${armName(arm)}`}`;
            })
            .join('; ')}
          .
        </p>
      ) : null}
      <fieldset class="field">
        <legend>What students see</legend>
        <PartTicks
          hidden={hiddenParts.value}
          onChoose={(hidden) => {
            hiddenParts.value = hidden;
            changed();
          }}
        />
        <small>
          Whoever opens the link can tick a part again at the foot of the page: hiding is a kindness to the
          lesson, not a lock.
        </small>
      </fieldset>
      <div class="actions">
        <button type="button" class="primary" disabled={!fits} onClick={() => void prepare()}>
          Copy the class link
        </button>
        <span role="status">{said}</span>
      </div>
      {link.value === null ? null : (
        <>
          <input type="text" readOnly class="address" aria-label="Link for the class" value={link.value} />
          <div class="actions">
            <Behind words="Let cameras read it">
              <QrCode text={link.value} label="The class link as a QR code" />
            </Behind>
          </div>
        </>
      )}
    </section>
  );
}
