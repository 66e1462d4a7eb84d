/** Choice of another algorithm for the same rewards, which shows what the algorithm decides in an update. */
import type { Signal } from '@preact/signals';
import { algorithmNames, type AlgorithmName } from '../../objective/algorithm';
import { Choices } from '../ui/choices';

/** @param chosen - null for the run's own */
export function AlgorithmChoice(props: { own: AlgorithmName; chosen: Signal<AlgorithmName | null> }) {
  const { own, chosen } = props;
  return (
    <details class="facts" open={chosen.value !== null}>
      <summary>The same rewards under another algorithm</summary>
      <Choices
        label="The same rewards under"
        names={{ ...algorithmNames, [own]: `${algorithmNames[own]} (this run)` }}
        chosen={chosen.value ?? own}
        onChoose={(name) => (chosen.value = name === own ? null : name)}
      />
    </details>
  );
}
