/** The page of a class: prepares the link for the students, and reads the results that they return. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { encodeQR } from 'qr';
import { toErrorReport } from '../../base/error';
import { presets } from '../../run/config/presets';
import { expandSweep } from '../../run/sweep/sweep';
import { encodeLink } from '../../share/settings-link';
import { mostSeats } from '../../share/link-extras';
import { addressWith } from '../ui/page-address';
import type { Page } from '../page/page';
import { presetDescriptions, presetNames } from '../words/preset-words';
import { runWords } from '../words/run-words';
import { Tick } from '../ui/choices';
import { copyText } from '../ui/copy-text';
import { Doc } from '../words/doc-link';
import { ClassResults, type ResultsProps } from './class-results';
import { chosenExperiment, isLesson, results as read, seats } from './class-state';
import { experiments } from './experiments';

export function ClassPage({ draft, ...results }: Pick<Page, 'draft'> & ResultsProps) {
  const hasRuns = read.value.runs.length > 0;
  return (
    <>
      <div class="place-head">
        <h1 tabIndex={-1}>A class</h1>
        <p class="lead">
          One run is an anecdote, and a room full of laptops is an experiment: every student runs another seed
          or another arm, and here the runs come together. There is no account and no server: the link goes
          out, and files or codes come back. There is a <Doc name="workshop">45-minute lesson plan</Doc>.
        </p>
      </div>
      {hasRuns ? null : <ClassLink draft={draft} />}
      <ClassResults {...results} />
      {hasRuns ? (
        <details>
          <summary>Prepare another link</summary>
          <ClassLink draft={draft} />
        </details>
      ) : null}
    </>
  );
}

function ClassLink({ draft }: Pick<Page, 'draft'>) {
  const link = useSignal<string | null>(null);
  const said = useSignal('');
  const experiment = experiments.at(chosenExperiment.value);
  const base = experiment === undefined ? draft.value : presets[experiment.preset];
  const axes = experiment?.axes ?? {};
  const count = Number(seats.value);
  const fits = Number.isInteger(count) && count >= 1 && count <= mostSeats;
  const choices = [
    ...experiments.map((one) => ({
      title: one.title,
      facts: one.question,
    })),
    { title: 'What the settings of this page say', facts: runWords(draft.value, 4) },
  ];
  useEffect(() => {
    link.value = null;
    said.value = '';
  }, [chosenExperiment.value, seats.value, isLesson.value]);

  const prepare = async (): Promise<void> => {
    try {
      const extras = { sweep: axes, seats: count, lesson: isLesson.value };
      link.value = addressWith(await encodeLink(base, extras));
    } catch (thrown) {
      said.value = toErrorReport(thrown).message;
      return;
    }
    const isCopied = await copyText(link.value);
    said.value = isCopied ? 'Copied. Put it where the class finds it.' : 'Copy this address.';
  };
  return (
    <section class="panel" aria-labelledby="class-link">
      <h2 id="class-link">Prepare the link</h2>
      <fieldset class="field experiments">
        <legend>What the class runs</legend>
        {choices.map(({ title, facts }, index) => (
          <label key={title} class="tick">
            <input
              type="radio"
              name="experiment"
              checked={chosenExperiment.value === index}
              onChange={() => (chosenExperiment.value = index)}
            />{' '}
            {title}. <span class="facts">{facts}</span>
          </label>
        ))}
      </fieldset>
      <p class="explain">
        <b>{presetNames[base.preset] ?? base.preset}</b>: {presetDescriptions[base.preset] ?? ''} {base.steps}{' '}
        steps.
      </p>
      <label class="field seats">
        <span>Seats</span>
        <input
          type="text"
          inputMode="numeric"
          value={seats.value}
          aria-describedby="explain-seats"
          aria-invalid={!fits}
          onInput={(event) => (seats.value = event.currentTarget.value.trim())}
        />
        <small id="explain-seats" class={fits ? '' : 'fault'}>
          {fits
            ? `Students type a number from 1 to this. ${seedWords(expandSweep(base, axes).length, count, base.seed)}`
            : `A whole number from 1 to ${mostSeats}.`}
        </small>
      </label>
      <div class="field">
        <Tick checked={isLesson.value} onChange={(isOn) => (isLesson.value = isOn)}>
          Lesson: students see no verdict before their run has ended, and no settings
        </Tick>
        <small>Students can switch this off at the foot of their page.</small>
      </div>
      <div class="actions">
        <button class="primary" disabled={!fits} onClick={() => void prepare()}>
          Copy the class link
        </button>
        <span role="status">{said}</span>
      </div>
      {link.value === null ? null : (
        <>
          <p>
            Tell your students: “Open the link, type your number, press ‘Take this seat’ and ‘Train’. When it
            is over, press ‘Save the file for your teacher’ or ‘Copy the result code’, and send it to me by
            …”: mail or chat.
          </p>
          <input type="text" readOnly class="address" aria-label="Link for the class" value={link.value} />
          <details>
            <summary>Show QR code</summary>
            <QrCode text={link.value} />
          </details>
        </>
      )}
    </section>
  );
}

function seedWords(arms: number, count: number, first: number): string {
  if (arms === 1)
    return `Each number gives a seed of its own, always the same: number 1 gets seed ${first}, number ${count} seed ${first + count - 1}.`;
  return `Numbers fill the ${arms} arms in turn: ${arms} in a row share a seed, one in each arm.`;
}

/** @param props.text - of at most 2,900 characters */
function QrCode({ text }: { text: string }) {
  const rows = encodeQR(text, 'raw', { ecc: 'low' });
  const dark = rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg
      class="qr"
      viewBox={`0 0 ${rows.length} ${rows.length}`}
      role="img"
      aria-label="The class link as a QR code"
    >
      <rect width="100%" height="100%" fill="#fff" />
      <path d={dark.join('')} fill="#000" shape-rendering="crispEdges" />
    </svg>
  );
}
