/** The page of a class: prepares the link for the students, and reads the results that they return. */
import { signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { encodeQR } from 'qr';
import type { RunConfig } from '../../run/config/config';
import { presets } from '../../run/config/presets';
import { expandSweep, type SweepAxes } from '../../run/sweep/sweep';
import { encodeLink } from '../../share/settings-link';
import { mostSeats } from '../../share/link-extras';
import { addressWith } from '../ui/page-address';
import type { Page } from '../page/page';
import { presetDescriptions, presetNames } from '../words/preset-words';
import { runWords } from '../words/run-words';
import { Tick } from '../ui/choices';
import { CopyButton } from '../ui/copy-button';
import { Doc } from '../words/doc-link';
import { ClassResults, results as read, type ResultsProps } from './class-results';

/** Settings and axes of what a class may run. */
type Choice = [title: string, question: string, base: RunConfig, axes?: SweepAxes];

/** Experiments of docs/workshop.md, and the settings of the form. The first takes less than a minute. */
const choicesOf = (draft: RunConfig): readonly Choice[] => [
  [
    'A short lesson: one small model, other seeds',
    'Where the reward rises, does the thinking stay?',
    presets['ladder-12k'],
  ],
  ['The middle model, other seeds', 'How much of what one sees is chance?', presets['ladder-25k']],
  [
    'Paid for answers, or for correct reasoning',
    'Does paying for true statements keep the reasoning?',
    presets['ladder-25k'],
    { reward: ['logic-rl', 'faithful'] },
  ],
  [
    'The shortcut always there, or seldom',
    'Does the reasoning stay where the shortcut seldom pays?',
    presets['ladder-25k'],
    { dropShortcutRight: [0, 0.9] },
  ],
  ['What the settings of this page say', runWords(draft, 4), draft],
];

/** Index of the choice. The link in preparation lasts as long as the tab. */
const chosenExperiment = signal(0);
/** NaN for an invalid number. */
const seats = signal(25);
const isLesson = signal(true);

export function ClassPage({ draft, ...results }: Pick<Page, 'draft'> & ResultsProps) {
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
      <details class="panel" open={read.value.runs.length === 0}>
        <summary>
          <b role="heading" aria-level={2}>
            Prepare the link
          </b>
        </summary>
        <ClassLink draft={draft} />
      </details>
      <ClassResults {...results} />
    </>
  );
}

function ClassLink({ draft }: Pick<Page, 'draft'>) {
  const link = useSignal<string | null>(null);
  const choices = choicesOf(draft.value);
  const [, , base, axes = {}] = choices[chosenExperiment.value];
  const arms = expandSweep(base, axes).length;
  const count = seats.value;
  const chosen = [chosenExperiment.value, count, isLesson.value];
  useEffect(() => void (link.value = null), chosen);
  return (
    <div class="stack">
      <fieldset class="field experiments">
        <legend>What the class runs</legend>
        {choices.map(([title, facts], index) => (
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
      <label class="field">
        <span>Seats, 1 to {mostSeats}</span>
        <input
          type="number"
          min={1}
          max={mostSeats}
          required
          defaultValue={count}
          onInput={({ currentTarget: field }) => (seats.value = field.validity.valid ? +field.value : NaN)}
        />
        <small>
          Students type a number from 1 to this.{' '}
          {arms === 1
            ? `Each number gives a seed of its own, always the same, from ${base.seed} on.`
            : `Numbers fill the ${arms} arms in turn: ${arms} in a row share a seed, one in each arm.`}
        </small>
      </label>
      <div class="field">
        <Tick checked={isLesson.value} onChange={(isOn) => (isLesson.value = isOn)}>
          Lesson: students see no verdict before their run has ended, and no settings
        </Tick>
        <small>Students can switch this off at the foot of their page.</small>
      </div>
      <div class="actions">
        <CopyButton
          isPrimary
          words="Copy the class link"
          what="Link for the class"
          copied="Copied. Put it where the class finds it."
          disabled={Number.isNaN(count)}
          text={async () => {
            const extras = { sweep: axes, seats: count, lesson: isLesson.value };
            return (link.value = addressWith(await encodeLink(base, extras)));
          }}
          by={chosen}
        />
      </div>
      {link.value === null ? null : (
        <>
          <p>
            Tell your students: “Open the link, type your number, press ‘Take this seat’ and ‘Train’. When it
            is over, press ‘Save the file for your teacher’ or ‘Copy the result code’, and send it to me by
            …”: mail or chat.
          </p>
          <details>
            <summary>Show QR code</summary>
            {/* At most 2,900 characters. */}
            <img
              class="qr"
              alt="The class link as a QR code"
              src={`data:image/svg+xml,${encodeURIComponent(encodeQR(link.value, 'svg', { ecc: 'low' }))}`}
            />
          </details>
        </>
      )}
    </div>
  );
}
