/** Choice of another algorithm for the same rewards, which shows what the algorithm decides in an update. */
import type { Signal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { algorithmNames, type AlgorithmName } from '../../objective/algorithm';

/** @param chosen - null for the run's own */
export function AlgorithmChoice(props: { own: AlgorithmName; chosen: Signal<AlgorithmName | null> }) {
  const { own, chosen } = props;
  const group = useId();
  return (
    <details class="facts" open={chosen.value !== null}>
      <summary>The same rewards under another algorithm</summary>
      <fieldset class="segments">
        <legend class="visually-hidden">The same rewards under</legend>
        {(Object.keys(algorithmNames) as AlgorithmName[]).map((name) => (
          <label key={name}>
            <input
              type="radio"
              name={group}
              checked={name === (chosen.value ?? own)}
              onChange={() => (chosen.value = name === own ? null : name)}
            />
            <span>
              {algorithmNames[name]}
              {name === own ? <small> this run</small> : null}
            </span>
          </label>
        ))}
      </fieldset>
    </details>
  );
}
