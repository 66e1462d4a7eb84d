/**
 * A story as a picture. Every event is a row, people are lanes, and a lane is shaded while its person is in the room. Each
 * statement of a completion is next to the event that it refers to. The picture is a table, so a screen reader can read it.
 */
import type { ComponentChildren } from 'preact';
import type { Rollout } from '../../run/record/rollout-record';
import { decidingEvent, isSeenByAll, type SwapLine } from '../../tom/worlds/swap';
import type { SwapStory } from '../../tom/text/read-swap-story';
import { Scroll } from '../ui/table';
import { capital, lineWords, signs } from './sentences';
import type { TraceStatement } from '../../reward/types';

/** The start of the story and each of its lines. `event` is null for an exit, which shows nothing about the object. */
export function scenesOf({ world }: SwapStory) {
  let present: readonly string[] = world.agents;
  let event = -1;
  return [null, ...world.lines].map((line) => {
    const { act = 'swap', actor = null } = line ?? {};
    if (act === 'exited') present = present.filter((agent) => agent !== actor);
    else event += 1;
    if (act === 'entered') present = [...present, actor!];
    const words =
      line === null ? `At the start the ${world.object} is in the ${world.start}` : lineWords(line);
    return { words, act, actor, present, event: act === 'exited' ? null : event };
  });
}

const actSigns: Readonly<Record<SwapLine['act'], string>> = { swap: '●', exited: '→', entered: '←' };

/** Position of a person in the question, whose order is at most four. */
const ranks = ['1st', '2nd', '3rd', '4th'];

export interface Telling {
  name: ComponentChildren;
  rollout: Rollout;
  foot?: ComponentChildren;
}

/** @param told - completions of the same question */
export function StoryPicture({
  story,
  told,
  isShort = false,
}: {
  story: SwapStory;
  told: readonly Telling[];
  /** The words of the rows are for screen readers, and the signs of the lanes say who leaves and returns. */
  isShort?: boolean;
}) {
  const { world, events } = story;
  const { chain } = world;
  const seers = chain.length === 1 ? chain[0] : 'all asked about';
  const scenes = scenesOf(story);
  const deciding = decidingEvent(events, chain);
  const [{ rollout }] = told;
  const { shortcutAnswer, goldAnswer } = rollout;
  const columns = told.map(({ rollout: { reward } }) => ({
    ...reward,
    pins: pinsOf(story, reward.trace?.statements ?? []),
    isEmpty: reward.think.trim() === '',
  }));
  const words = isShort ? 'visually-hidden' : undefined;
  return (
    <Scroll label="The story as a picture">
      <table class={isShort ? 'story short' : 'story'}>
        <thead>
          <tr>
            <th scope="col">
              <span class={words}>What happens</span>
            </th>
            {world.agents.map((agent) => (
              <th key={agent} scope="col" class={chain.includes(agent) ? 'lane asked' : 'lane'}>
                {capital(agent)}
                {chain.includes(agent) ? (
                  <small class={words}>
                    <span class="visually-hidden">, asked about </span>
                    {ranks[chain.indexOf(agent)]}
                  </small>
                ) : null}
              </th>
            ))}
            <th scope="col">
              {world.object} <span class={words}>is in</span>
            </th>
            <th scope="col" class="seen">
              {seers} saw it
            </th>
            {told.map(({ name }, i) => (
              <th key={i} scope="col" class="told">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {scenes.map(({ words: happens, act, actor, present, event }, row) => (
            <tr key={row} class={event !== null && event === deciding ? 'deciding' : ''}>
              <th scope="row">
                <span class={words}>{happens}</span>
              </th>
              {world.agents.map((agent) => (
                <td
                  key={agent}
                  class={`lane ${present.includes(agent) ? 'present' : ''} ${chain.includes(agent) ? 'asked' : ''}`}
                >
                  {actor === agent ? <b aria-hidden="true">{actSigns[act]}</b> : null}
                  <span class="visually-hidden">
                    {present.includes(agent) ? 'in the room' : 'away'}
                    {actor === agent ? ', acts' : ''}
                  </span>
                </td>
              ))}
              <td>
                {event === 1 && shortcutAnswer !== null ? (
                  <b class="shortcut">
                    {events[event].place}
                    <span class="visually-hidden"> (here the shortcut looks)</span>
                  </b>
                ) : event === null ? (
                  ''
                ) : (
                  events[event].place
                )}
              </td>
              <td class="seen">
                {event === null ? '' : isSeenByAll(events[event], chain) ? 'yes' : 'no'}
                {event !== null && event === deciding ? <b>, last</b> : ''}
              </td>
              {columns.map(({ pins, isEmpty }, i) =>
                !isEmpty ? (
                  <td key={i} class="told">
                    <Pinned pins={event === null ? [] : pins.filter((pin) => pin.event === event)} />
                  </td>
                ) : row > 0 ? null : (
                  <td key={i} class="told" rowSpan={scenes.length}>
                    <em>{isShort ? 'no words' : 'thinks nothing at all'}</em>
                  </td>
                ),
              )}
            </tr>
          ))}
          <tr class="answer-row">
            <th scope="row">
              <span class={words}>
                Answer
                {shortcutAnswer === null ? null : (
                  <span class="shortcut">
                    ; the shortcut’s is {shortcutAnswer} {shortcutAnswer === goldAnswer ? '✓' : '✗'}
                  </span>
                )}
              </span>
            </th>
            <td class="lane" colSpan={world.agents.length} />
            <td>
              <b class="right">{goldAnswer}</b>
            </td>
            <td class="seen" />
            {columns.map(({ pins, answer, correct }, i) => (
              <td key={i} class="told">
                {isShort ? null : (
                  <Pinned pins={pins.filter(({ event }) => event === 'answer' || event === null)} />
                )}
                <b class={correct ? 'right' : 'wrong'}>
                  {correct ? '✓' : '✗'}{' '}
                  {answer === null ? 'unreadable' : <span class="thought">{answer}</span>}
                </b>
              </td>
            ))}
          </tr>
          {told.every(({ foot }) => foot === undefined) ? null : (
            <tr class="feet">
              <td colSpan={world.agents.length + 2} />
              <td class="seen" />
              {told.map(({ foot }, i) => (
                <td key={i} class="told">
                  {foot}
                </td>
              ))}
            </tr>
          )}
        </tbody>
      </table>
      {isShort || chain.length === 0 ? null : (
        <p class="facts">
          Who is out of the room sees nothing. The last event that {seers} saw gives the answer.
        </p>
      )}
    </Scroll>
  );
}

/** Shortens a statement on an event, in the built-in models' grammar, for readers who do not know it: `jar`, `not seen`. */
const shortText = (text: string): string =>
  text === 'none' ? 'not seen' : text.slice(text.lastIndexOf(' ') + 1);

function Pinned({ pins }: { pins: readonly Pin[] }) {
  return (
    <>
      {pins.map(({ text, verdict, event }, i) => (
        <span key={i} class={`pin thought verdict-${verdict}`}>
          <span aria-hidden="true">{signs[verdict].sign}</span>{' '}
          {typeof event === 'number' ? shortText(text) : text}
          <span class="visually-hidden"> ({signs[verdict].word})</span>
        </span>
      ))}
    </>
  );
}

interface Pin extends TraceStatement {
  /** Index among the story's events; `answer` for the conclusion; null if the statement refers to none. */
  event: number | 'answer' | null;
}

/** Assigns each statement of a trace to an event of the story. The clauses refer to the events in order. */
export function pinsOf({ events }: SwapStory, statements: readonly TraceStatement[]): Pin[] {
  let next = 0;
  return statements.map((statement): Pin => {
    if (statement.verdict === 'unread') return { ...statement, event: null };
    if (statement.text.startsWith('so ')) return { ...statement, event: 'answer' };
    return { ...statement, event: next < events.length ? next++ : null };
  });
}
