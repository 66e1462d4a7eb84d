/** The page of a class: prepares the link for the students, and reads the results that they return. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { encodeQR } from 'qr';
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
import { ClassResults, type ResultsProps } from './class-results';
import { chosenExperiment, isLesson, results as read, seats } from './class-state';

/** Experiments of docs/workshop.md. The first one is short: its verdict takes less than a minute. */
const experiments: readonly { title: string; question: string; preset: string; axes: SweepAxes }[] = [
  {
    title: 'A short lesson: one small model, other seeds',
    question: 'Where the reward rises, does the thinking stay?',
    preset: 'ladder-12k',
    axes: {},
  },
  {
    title: 'The middle model, other seeds',
    question: 'How much of what one sees is chance?',
    preset: 'ladder-25k',
    axes: {},
  },
  {
    title: 'Paid for answers, or for correct reasoning',
    question: 'Does paying for true statements keep the reasoning?',
    preset: 'ladder-25k',
    axes: { reward: ['logic-rl', 'faithful'] },
  },
  {
    title: 'The shortcut always there, or seldom',
    question: 'Does the reasoning stay where the shortcut seldom pays?',
    preset: 'ladder-25k',
    axes: { dropShortcutRight: [0, 0.9] },
  },
];

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
  const chosen = [chosenExperiment.value, seats.value, isLesson.value];
  useEffect(() => void (link.value = null), chosen);

  const prepare = async (): Promise<string> => {
    const extras = { sweep: axes, seats: count, lesson: isLesson.value };
    return (link.value = addressWith(await encodeLink(base, extras)));
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
        <CopyButton
          isPrimary
          words="Copy the class link"
          what="Link for the class"
          copied="Copied. Put it where the class finds it."
          disabled={!fits}
          text={prepare}
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
