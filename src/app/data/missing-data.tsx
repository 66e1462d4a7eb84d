/** Warns if a link or a kept run names data sets that this browser does not have. */
import { useEffect } from 'preact/hooks';
import { importedId, importedIds } from '../../run/config/imported';
import type { Page } from '../page/page';
import { missingData, trainedOnGenerated, withoutTask } from './chosen-data';

export function MissingData({ draft, library, places }: Pick<Page, 'draft' | 'library' | 'places'>) {
  const named = importedIds(draft.value);
  const isNamed = named.length > 0;
  useEffect(() => {
    // A storage error is ignored here: starting the run reports it.
    if (isNamed) library.refresh().catch(() => undefined);
  }, [isNamed, library]);
  const missing = missingData(draft.value, library.sets.value);
  if (missing.length === 0) return null;
  const doWithout = (): void => {
    const generated = missing.some((id) => id === importedId(draft.value.data.source))
      ? trainedOnGenerated(draft.value)
      : draft.value;
    draft.value = missing.reduce(withoutTask, generated);
  };
  return (
    <section class="screen asks" aria-labelledby="missing-data">
      <h2 id="missing-data">
        This run needs{' '}
        {missing.length === 1
          ? 'a data set that is not in this browser'
          : 'data sets that are not in this browser'}
      </h2>
      <ul>
        {missing.map((id) => (
          <li key={id}>
            <b>{id.slice(0, id.lastIndexOf('-'))}</b>, whose content has the hash{' '}
            <code>{id.slice(id.lastIndexOf('-') + 1)}</code>
          </li>
        ))}
      </ul>
      <p>
        A link names data and never holds any. The sender of the link knows where the file is from; import it
        under the same name, and the run can begin.
      </p>
      <div class="actions">
        {places.place.value.name === 'data' ? null : (
          <button class="primary" onClick={() => places.go({ name: 'data' })}>
            Import it
          </button>
        )}
        <button onClick={doWithout}>Do without it</button>
      </div>
    </section>
  );
}
