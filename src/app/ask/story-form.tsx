/** Form that composes a swap story and its question from the world's vocabulary. */
import { OBJECTS, PLACES, type SwapLine, type SwapWorld } from '../../tom/worlds/swap';
import { Options } from '../ui/choices';

const actWords: Record<SwapLine['act'], string> = {
  swap: 'swaps',
  exited: 'goes out',
  entered: 'comes back',
};

/** Limit on the lines of a story. The toy models were trained on stories that are at most slightly longer. */
const MOST_LINES = 16;
const MOST_ORDER = 4;

interface FormProps {
  world: SwapWorld;
  onChange: (world: SwapWorld) => void;
}

const lineOf = (actor: string, act: SwapLine['act']): SwapLine =>
  act === 'swap' ? { act, actor, places: [PLACES[0], PLACES[1]] } : { act, actor };

export function StoryForm({ world, onChange }: FormProps) {
  const { agents, object, start, lines } = world;
  const withLines = (changed: SwapLine[]): void => onChange({ ...world, lines: changed });
  return (
    <div class="story-form stack">
      <p>
        {agents.join(', ')} are in the room. The{' '}
        <Pick
          label="Object"
          value={object}
          among={OBJECTS}
          onChange={(value) => onChange({ ...world, object: value })}
        />{' '}
        is in the{' '}
        <Pick
          label="Where it begins"
          value={start}
          among={PLACES}
          onChange={(value) => onChange({ ...world, start: value })}
        />
        .
      </p>
      <ol>
        {lines.map((line, i) => {
          const nth = `, line ${i + 1}`;
          const change = (changed: SwapLine): void => withLines(lines.with(i, changed));
          return (
            <li key={i}>
              <Pick
                label={`Who${nth}`}
                value={line.actor}
                among={agents}
                onChange={(actor) => change({ ...line, actor })}
              />
              <Pick
                label={`Does what${nth}`}
                value={line.act}
                among={Object.keys(actWords)}
                words={actWords}
                onChange={(act) => change(lineOf(line.actor, act as SwapLine['act']))}
              />
              {line.act === 'swap' ? (
                <>
                  <Pick
                    label={`Place${nth}`}
                    value={line.places[0]}
                    among={PLACES}
                    onChange={(place) => change({ ...line, places: [place, line.places[1]] })}
                  />
                  and{' '}
                  <Pick
                    label={`Other place${nth}`}
                    value={line.places[1]}
                    among={PLACES}
                    onChange={(place) => change({ ...line, places: [line.places[0], place] })}
                  />
                </>
              ) : null}
              <button
                disabled={i === 0}
                aria-label={`Earlier${nth}`}
                onClick={() => withLines(lines.with(i - 1, line).with(i, lines[i - 1]))}
              >
                ↑
              </button>
              <button aria-label={`Take out${nth}`} onClick={() => withLines(lines.toSpliced(i, 1))}>
                ×
              </button>
            </li>
          );
        })}
      </ol>
      <div class="actions">
        <button
          disabled={lines.length >= MOST_LINES}
          onClick={() => withLines([...lines, lineOf(agents[0], 'swap')])}
        >
          Add a line
        </button>
      </div>
      <ChainPicks world={world} onChange={onChange} />
    </div>
  );
}

/** Selects the people of the question, from the outermost belief to the innermost. */
function ChainPicks({ world, onChange }: FormProps) {
  const { agents, chain, object } = world;
  const free = agents.filter((agent) => !chain.includes(agent));
  return (
    <p class="asked">
      <b>{chain.length === 0 ? 'Where is' : 'Where does'}</b>{' '}
      {chain.map((agent, i) => (
        <span key={i}>
          <Pick
            label={`Asked about, ${i + 1}`}
            value={agent}
            among={agents}
            onChange={(value) => onChange({ ...world, chain: chain.with(i, value) })}
          />{' '}
          think{i === 0 ? '' : 's'}{' '}
        </span>
      ))}
      <b>
        the {object}
        {chain.length === 0 ? '' : ' is'}?
      </b>{' '}
      <button
        disabled={free.length === 0 || chain.length >= MOST_ORDER}
        onClick={() => onChange({ ...world, chain: [...chain, free[0]] })}
      >
        One order more
      </button>{' '}
      <button disabled={chain.length === 0} onClick={() => onChange({ ...world, chain: chain.slice(0, -1) })}>
        One less
      </button>
    </p>
  );
}

function Pick(props: {
  label: string;
  value: string;
  among: readonly string[];
  words?: Readonly<Record<string, string>>;
  onChange: (value: string) => void;
}) {
  const { label, value, among, words, onChange } = props;
  return (
    <select aria-label={label} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      <Options names={Object.fromEntries(among.map((name) => [name, words?.[name] ?? name]))} />
    </select>
  );
}
