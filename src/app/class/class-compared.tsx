/** Compares the runs of a class: who has handed in, and how the runs of each arm ended. */
import type { Page } from '../page/page';
import { DeleteButton } from '../ui/delete-button';
import { counted } from '../ui/numbers';
import { asConfigured } from '../words/arms';
import { armsOf } from '../words/run-words';
import { Comparison } from '../sweeps/comparison';
import { filesLeft, results } from './class-state';
import { isCode, isRepeated, seatsOf, studentNames, whoIsInWords, type ClassRun } from './read-runs';

/** Sorts student 2 before student 10. */
const byStudent = new Intl.Collator(undefined, { numeric: true });

export type ComparedProps = Pick<Page, 'session' | 'ofClass' | 'places'>;

export function Compared(props: ComparedProps & { read: readonly ClassRun[] }) {
  const { session, ofClass, places } = props;
  const runs = props.read.toSorted((one, other) => byStudent.compare(one.student, other.student));
  const names = studentNames(runs);
  // The settings in which a run differs from others form its arm.
  const arms = armsOf(runs.map(({ history }) => history.record.config));
  const repeated = isRepeated(runs);
  const seats = seatsOf(runs);
  const open = async ({ file, student }: ClassRun): Promise<void> => {
    const id = await session.openRunFile(file);
    if (id === null) return;
    ofClass.value = { id, student };
    places.go({ name: 'run' });
  };
  const rows = runs.map((run, index) => ({
    ...{ name: names[index], arm: arms[index] || asConfigured, isRepeated: repeated[index] },
    ...{ history: run.history, config: run.history.record.config },
    actions: isCode(run) ? (
      'code'
    ) : (
      <button disabled={session.activity.value !== 'idle'} onClick={() => void open(run)}>
        Open<span class="visually-hidden"> the run of {names[index]}</span>
      </button>
    ),
  }));
  return (
    <article class="compared stack">
      <div class="actions">
        <DeleteButton
          verb={`Clear ${counted(rows.length, 'run')}`}
          name="of the class"
          disabled={filesLeft.value > 0}
          onDelete={() => (results.value = { runs: [], refused: [] })}
        />
      </div>
      {seats === null ? null : (
        <p class="lead">
          {whoIsInWords(
            runs.map(({ student }) => student),
            seats,
          )}
        </p>
      )}
      <Comparison of="class" rows={rows} />
    </article>
  );
}
