/** Form that composes a swap story and its question from the world's vocabulary. */
import { OBJECTS, PLACES, type SwapLine, type SwapWorld } from '../../tom/worlds/swap';
import { Options } from '../ui/choices';

const actWords: Record<SwapLine['act'], string> = {
  swap: 'swaps',
  exited: 'goes out',
  entered: 'comes back',
};
const acts = Object.keys(actWords) as SwapLine['act'][];

/** Limit on the lines of a story. The toy models were trained on stories that are at most slightly longer. */
const MOST_LINES = 16;
const MOST_ORDER = 4;

const lineOf = (actor: string, act: SwapLine['act']): SwapLine =>
  act === 'swap' ? { act, actor, places: [PLACES[0], PLACES[1]] } : { act, actor };

export function StoryForm(props: { world: SwapWorld; onChange: (world: SwapWorld) => void }) {
  const { agents, object, start, lines, chain } = props.world;
  const set = (changes: Partial<SwapWorld>): void => props.onChange({ ...props.world, ...changes });
  const free = agents.filter((agent) => !chain.includes(agent));
  return (
    <div class="story-form stack">
      <p>
        {agents.join(', ')} are in the room. The{' '}
        {pick('Object', object, OBJECTS, (chosen) => set({ object: chosen }))} is in the{' '}
        {pick('Where it begins', start, PLACES, (place) => set({ start: place }))}.
      </p>
      <ol>
        {lines.map((line, i) => {
          const nth = `, line ${i + 1}`;
          const change = (changed: SwapLine): void => set({ lines: lines.with(i, changed) });
          return (
            <li key={i}>
              {pick(`Who${nth}`, line.actor, agents, (actor) => change({ ...line, actor }))}
              {pick(`Does what${nth}`, line.act, acts, (act) => change(lineOf(line.actor, act)), actWords)}
              {line.act !== 'swap' ? null : (
                <>
                  {pick(`Place${nth}`, line.places[0], PLACES, (place) =>
                    change({ ...line, places: [place, line.places[1]] }),
                  )}
                  and{' '}
                  {pick(`Other place${nth}`, line.places[1], PLACES, (place) =>
                    change({ ...line, places: [line.places[0], place] }),
                  )}
                </>
              )}
              <button
                disabled={i === 0}
                aria-label={`Earlier${nth}`}
                onClick={() => set({ lines: lines.with(i - 1, line).with(i, lines[i - 1]) })}
              >
                ↑
              </button>
              <button aria-label={`Take out${nth}`} onClick={() => set({ lines: lines.toSpliced(i, 1) })}>
                ×
              </button>
            </li>
          );
        })}
      </ol>
      <div class="actions">
        <button
          disabled={lines.length >= MOST_LINES}
          onClick={() => set({ lines: [...lines, lineOf(agents[0], 'swap')] })}
        >
          Add a line
        </button>
      </div>
      {/* The people of the question, from the outermost belief to the innermost. */}
      <p class="asked">
        <b>{chain.length === 0 ? 'Where is' : 'Where does'}</b>{' '}
        {chain.map((agent, i) => (
          <span key={i}>
            {pick(`Asked about, ${i + 1}`, agent, agents, (chosen) => set({ chain: chain.with(i, chosen) }))}{' '}
            think{i === 0 ? '' : 's'}{' '}
          </span>
        ))}
        <b>
          the {object}
          {chain.length === 0 ? '' : ' is'}?
        </b>{' '}
        <button
          disabled={free.length === 0 || chain.length >= MOST_ORDER}
          onClick={() => set({ chain: [...chain, free[0]] })}
        >
          One order more
        </button>{' '}
        <button disabled={chain.length === 0} onClick={() => set({ chain: chain.slice(0, -1) })}>
          One less
        </button>
      </p>
    </div>
  );
}

/** A list to choose from. @param words - of each value; by default the value itself */
function pick<Value extends string>(
  label: string,
  value: Value,
  among: readonly Value[],
  onChange: (value: Value) => void,
  words?: Readonly<Record<Value, string>>,
) {
  return (
    <select
      aria-label={label}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value as Value)}
    >
      <Options names={Object.fromEntries(among.map((name) => [name, words?.[name] ?? name]))} />
    </select>
  );
}
