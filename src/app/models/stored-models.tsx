/** Downloaded models that this browser keeps, with their size, completeness and a delete button. */
import { useSignal } from '@preact/signals';
import type { Session } from '../session/session';
import { DeleteButton } from '../ui/delete-button';
import { useFound } from '../ui/use-found';
import { sizeWords } from '../words/sizes';

/** `Qwen/Qwen2.5-0.5B-Instruct at 7ae55760` for a commit of the Hub, else the address. */
function modelName(address: string): string {
  const [, repository, revision] =
    /^https?:\/\/[^/]+\/([^/]+\/[^/]+)\/resolve\/([0-9a-f]{40})\/$/.exec(address) ?? [];
  return repository === undefined ? address : `${repository} at ${revision.slice(0, 8)}`;
}

export function StoredModels({ session }: { session: Session }) {
  const deletions = useSignal(0);
  const busy = session.activity.value !== 'idle';
  const find = () => session.attempt((service) => service.storedModels());
  const models = useFound(find, [busy, session.question.value, deletions.value]) ?? [];
  if (models.length === 0) return null;
  return (
    <section class="panel" aria-labelledby="stored-models">
      <h2 id="stored-models">Models kept in this browser</h2>
      <ul class="runs">
        {models.map((model) => (
          <li key={model.address} class="row">
            <div class="run-name stack tight">
              <b>{modelName(model.address)}</b>
              <span class="facts">
                {model.complete
                  ? sizeWords(model.size)
                  : `${sizeWords(model.kept)} of ${sizeWords(model.size)}: the next run of it fetches the rest`}
              </span>
            </div>
            <div class="run-actions row tight">
              <DeleteButton
                name={modelName(model.address)}
                disabled={busy}
                onDelete={() =>
                  session
                    .attempt((service) => service.deleteStoredModel(model.address))
                    .then(() => (deletions.value += 1))
                }
              />
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
