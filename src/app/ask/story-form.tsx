/** The story and the question as picks from the world's own words. */
import { OBJECTS, PLACES } from '../../tom/worlds/swap';
import type { DraftLine, DraftStory } from './compose';

const actWords: Record<DraftLine['act'], string> = {
  swap: 'swaps',
  exited: 'goes out',
  entered: 'comes back',
};

/** The most lines of a story: the toy models have seen none much longer. */
const MOST_LINES = 16;
const MOST_ORDER = 4;

interface FormProps {
  draft: DraftStory;
  onChange: (draft: DraftStory) => void;
}

export function StoryForm({ draft, onChange }: FormProps) {
  const { agents, object, start, lines } = draft;
  const withLine = (i: number, change: Partial<DraftLine>): void =>
    onChange({ ...draft, lines: lines.with(i, { ...lines[i], ...change }) });
  const earlier = (i: number): void =>
    onChange({ ...draft, lines: lines.with(i - 1, lines[i]).with(i, lines[i - 1]) });
  return (
    <div class="story-form">
      <p>
        {agents.join(', ')} are in the room. The{' '}
        <Pick
          label="Object"
          value={object}
          among={OBJECTS}
          onChange={(value) => onChange({ ...draft, object: value })}
        />{' '}
        is in the{' '}
        <Pick
          label="Where it begins"
          value={start}
          among={PLACES}
          onChange={(value) => onChange({ ...draft, start: value })}
        />
        .
      </p>
      <ol>
        {lines.map(({ actor, act, places: [one, other] }, i) => {
          const nth = `, line ${i + 1}`;
          return (
            <li key={i}>
              <Pick
                label={`Who${nth}`}
                value={actor}
                among={agents}
                onChange={(value) => withLine(i, { actor: value })}
              />
              <Pick
                label={`Does what${nth}`}
                value={act}
                among={Object.keys(actWords)}
                words={actWords}
                onChange={(value) => withLine(i, { act: value as DraftLine['act'] })}
              />
              {act === 'swap' ? (
                <>
                  <Pick
                    label={`Place${nth}`}
                    value={one}
                    among={PLACES}
                    onChange={(value) => withLine(i, { places: [value, other] })}
                  />
                  and{' '}
                  <Pick
                    label={`Other place${nth}`}
                    value={other}
                    among={PLACES}
                    onChange={(value) => withLine(i, { places: [one, value] })}
                  />
                </>
              ) : null}
              <button
                type="button"
                disabled={i === 0}
                aria-label={`Earlier${nth}`}
                onClick={() => earlier(i)}
              >
                ↑
              </button>
              <button
                type="button"
                aria-label={`Take out${nth}`}
                onClick={() => onChange({ ...draft, lines: lines.filter((_, place) => place !== i) })}
              >
                ×
              </button>
            </li>
          );
        })}
      </ol>
      <div class="actions">
        <button
          type="button"
          disabled={lines.length >= MOST_LINES}
          onClick={() =>
            onChange({
              ...draft,
              lines: [...lines, { actor: agents[0], act: 'swap', places: [PLACES[0], PLACES[1]] }],
            })
          }
        >
          Add a line
        </button>
      </div>
      <ChainPicks draft={draft} onChange={onChange} />
    </div>
  );
}

/** Who is asked about, from the outermost belief to the innermost. */
function ChainPicks({ draft, onChange }: FormProps) {
  const { agents, chain, object } = draft;
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
            onChange={(value) => onChange({ ...draft, chain: chain.with(i, value) })}
          />{' '}
          think{i === 0 ? '' : 's'}{' '}
        </span>
      ))}
      <b>
        the {object}
        {chain.length === 0 ? '' : ' is'}?
      </b>{' '}
      <button
        type="button"
        disabled={free.length === 0 || chain.length >= MOST_ORDER}
        onClick={() => onChange({ ...draft, chain: [...chain, free[0]] })}
      >
        One order more
      </button>{' '}
      <button
        type="button"
        disabled={chain.length === 0}
        onClick={() => onChange({ ...draft, chain: chain.slice(0, -1) })}
      >
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
      {among.map((name) => (
        <option key={name} value={name}>
          {words?.[name] ?? name}
        </option>
      ))}
    </select>
  );
}
