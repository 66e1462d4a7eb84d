/** List of the experiments in groups. Choosing one fills the form of the start panel. */
import { presetDescriptions, presetGroups, presetNames } from '../words/preset-words';

export function Experiments({ chosen, onChoose }: { chosen: string; onChoose: (preset: string) => void }) {
  return (
    <>
      <h2>Experiments</h2>
      {presetGroups.map(({ title, about, presets }) => (
        <details key={title} name="experiments" class="panel">
          <summary>{title}</summary>
          <p class="explain">{about}</p>
          <ul class="experiments">
            {presets.map((preset) => (
              <li key={preset}>
                <button aria-pressed={preset === chosen} onClick={() => onChoose(preset)}>
                  {presetNames[preset]}
                </button>{' '}
                <small>{presetDescriptions[preset]}</small>
              </li>
            ))}
          </ul>
        </details>
      ))}
    </>
  );
}
