/** The page of data sets: import, list, and choice for training and evaluation. */
import { sizeWords } from '../words/sizes';
import { useEffect } from 'preact/hooks';
import { importedId } from '../../run/config/imported';
import type { DatasetRecord } from '../../store/records';
import { fillForm, type Fillable, type Page } from '../page/page';
import { trainedOn, withoutTask, withTask } from './chosen-data';
import { DeleteButton } from '../ui/delete-button';
import { Guard, unreadRecord } from '../ui/guard';
import { counted } from '../ui/numbers';
import { ImportPanel } from './import-panel';

const date = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

type Data = Fillable & Pick<Page, 'library'>;

export function DataPage(props: Data) {
  const { library, draft } = props;
  const { tell } = props.session;
  useEffect(() => {
    library.refresh().catch(tell);
  }, [library]);
  const sets = library.sets.value;
  const tasks = draft.value.evaluation.imported ?? [];
  // A link may name such a set, and one may be deleted. The run cannot begin with it.
  const missing = sets === null ? [] : tasks.filter((id) => !sets.some((set) => set.id === id));
  return (
    <>
      <h1 tabIndex={-1}>Data sets</h1>
      <p class="lead">
        Marble makes its own stories. Data sets of others come from a file of yours or from its address, and
        never leave this browser; a link names them and holds none of them.
      </p>
      <ImportPanel library={library} />
      <section class="panel" aria-labelledby="datasets">
        <h2 id="datasets">Data sets kept in this browser</h2>
        <ul class="runs datasets">
          {(sets ?? []).map((set) => (
            <li key={set.id} class="row">
              <Guard of={unreadRecord('data set', set, () => library.remove(set.id).catch(tell))}>
                <DatasetRow {...props} set={set} />
              </Guard>
            </li>
          ))}
          {missing.map((id) => (
            <li key={id} class="row">
              <span>
                The next run evaluates on <b>{id}</b>, which is not in this browser.
              </span>
              <button onClick={() => (draft.value = withoutTask(draft.value, id))}>
                Do without it<span class="visually-hidden">: {id}</span>
              </button>
            </li>
          ))}
        </ul>
        <p class="explain">
          {sets?.length === 0 ? 'None yet. ' : ''}What a run trains on is split by story: a part of the
          stories is kept for evaluation, and no story of the training part is evaluated anywhere. The
          embedded models know only the words of their own stories; other texts need a larger model.
        </p>
      </section>
    </>
  );
}

function DatasetRow({ set, ...page }: Data & { set: DatasetRecord }) {
  const { library, draft, session } = page;
  const config = draft.value;
  const isTrained = importedId(config.data.source) === set.id;
  const isTask = (config.evaluation.imported ?? []).includes(set.id);
  const isRead = set.training !== 'forbidden';
  return (
    <>
      <div class="run-name stack tight">
        <b>{set.name}</b>
        <span class="facts">
          {set.dataset}, {counted(set.count, 'question')}, {set.stories.toLocaleString('en')} stories, orders{' '}
          {set.orders.join(', ')}, {sizeWords(set.bytes)}, {date.format(set.createdAt)}. Terms: {set.licence}.
          Hash {set.id.slice(-16)}.
        </span>
      </div>
      <div class="run-actions row tight">
        {isRead ? (
          <button aria-pressed={isTrained} onClick={() => fillForm(page, trainedOn(config, set), 'train')}>
            Train on it<span class="visually-hidden">: {set.name}</span>
          </button>
        ) : (
          'Marble no longer reads it.'
        )}
        {isRead || isTask ? (
          <button
            aria-pressed={isTask}
            disabled={isTrained}
            onClick={() => (draft.value = (isTask ? withoutTask : withTask)(config, set.id))}
          >
            Evaluate on it<span class="visually-hidden">: {set.name}</span>
          </button>
        ) : null}
        <DeleteButton name={set.name} onDelete={() => library.remove(set.id).catch(session.tell)} />
      </div>
    </>
  );
}
