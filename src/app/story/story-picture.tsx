/**
 * A story as a picture. Every event is a row, people are lanes, and a lane is shaded while its person is in the room. Each
 * statement of a completion is next to the event that it refers to. The picture is a table, so a screen reader can read it.
 */
import type { ComponentChildren } from 'preact';
import type { Rollout } from '../../run/record/rollout-record';
import { decidingEvent, isSeenByAll, type SwapLine } from '../../tom/worlds/swap';
import type { SwapStory } from '../../tom/text/read-swap-story';
import { Scroll, Table } from '../ui/table';
import { capital, lineWords } from './sentences';
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

interface Telling {
  name: ComponentChildren;
  rollout: Rollout;
  foot?: ComponentChildren;
}

export function StoryPicture(props: {
  story: SwapStory;
  /** Completions of the same question. */
  told: readonly Telling[];
  /** The words of the rows are for screen readers, and the signs of the lanes say who leaves and returns. */
  isShort?: boolean;
}) {
  const { story, told, isShort = false } = props;
  const { world, events } = story;
  const { chain, agents } = world;
  const seers = chain.length === 1 ? capital(chain[0]) : 'all asked about';
  const deciding = decidingEvent(events, chain);
  const { shortcutAnswer, goldAnswer } = told[0].rollout;
  const pins = told.map(({ rollout }) => pinsOf(story, rollout.reward.trace?.statements ?? []));
  const words = isShort ? 'visually-hidden' : undefined;
  const lanesOf = (content: (agent: string) => ComponentChildren, present: readonly string[] = []) =>
    agents.map((agent) => {
      const looks = [present.includes(agent) && 'present', chain.includes(agent) && 'asked'];
      return <span class={['lane', ...looks].filter(Boolean).join(' ')}>{content(agent)}</span>;
    });
  const seenCell = (content: ComponentChildren) => <span class="seen">{content}</span>;
  const toldCells = (content: (one: Telling, place: number) => ComponentChildren) =>
    told.map((one, place) => <span class="told">{content(one, place)}</span>);
  const scenes = scenesOf(story).map(({ words: happens, act, actor, present, event }, row) => [
    <span class={event !== null && event === deciding ? 'deciding' : ''}>
      <span class={words}>{happens}</span>
    </span>,
    ...lanesOf(
      (agent) => (
        <>
          {actor === agent ? <b aria-hidden="true">{actSigns[act]}</b> : null}
          <span class="visually-hidden">
            {present.includes(agent) ? 'in the room' : 'away'}
            {actor === agent ? ', acts' : ''}
          </span>
        </>
      ),
      present,
    ),
    event === 1 && shortcutAnswer !== null ? (
      <b class="shortcut">
        {events[event].place}
        <span class="visually-hidden"> (here the shortcut looks)</span>
      </b>
    ) : (
      event !== null && events[event].place
    ),
    seenCell(
      event === null ? null : event === deciding ? (
        <b>yes, last</b>
      ) : isSeenByAll(events[event], chain) ? (
        'yes'
      ) : (
        'no'
      ),
    ),
    ...toldCells(({ rollout }, place) =>
      row === 0 && rollout.reward.think.trim() === '' ? (
        <em>no words</em>
      ) : (
        <Pinned pins={event === null ? [] : pins[place].filter((pin) => pin.event === event)} />
      ),
    ),
  ]);
  const answers = [
    <span class={words}>
      Answer
      {shortcutAnswer === null ? null : (
        <span class="shortcut">
          ; the shortcut’s is {shortcutAnswer} {shortcutAnswer === goldAnswer ? '✓' : '✗'}
        </span>
      )}
    </span>,
    ...lanesOf(() => null),
    <b class="right">{goldAnswer}</b>,
    seenCell(null),
    ...toldCells(({ rollout: { reward } }, place) => (
      <>
        {isShort ? null : <Pinned pins={pins[place].filter(({ event }) => event === undefined)} />}
        <b class={reward.correct ? 'right' : 'wrong'}>
          {reward.correct ? '✓' : '✗'}{' '}
          {reward.answer === null ? 'unreadable' : <span class="thought">{reward.answer}</span>}
        </b>
      </>
    )),
  ];
  const feet = [
    <span class={words}>Ending</span>,
    ...lanesOf(() => null),
    null,
    seenCell(null),
    ...toldCells(({ foot }) => <div class="feet">{foot}</div>),
  ];
  const head = [
    <span class={words}>What happens</span>,
    ...lanesOf((agent) => (
      <>
        {capital(agent)}
        {chain.includes(agent) ? <span class="visually-hidden">, asked about</span> : null}
      </>
    )),
    <>
      {world.object} <span class={words}>is in</span>
    </>,
    seenCell(`${seers} saw it`),
    ...toldCells(({ name }) => name),
  ];
  return (
    <Scroll label="The story as a picture">
      <Table
        class={isShort ? 'story short' : 'story'}
        head={head}
        rows={[...scenes, answers, ...(told.some(({ foot }) => foot !== undefined) ? [feet] : [])]}
      />
      {isShort || chain.length === 0 ? null : (
        <p class="facts">
          Who is out of the room sees nothing. The last event that {seers} saw gives the answer.
        </p>
      )}
    </Scroll>
  );
}

interface Pin extends TraceStatement {
  /** Index among the story's events; absent if the statement refers to none. */
  event?: number;
}

/** Signs for whether the simulated world confirms a statement. */
const signs: Record<TraceStatement['verdict'], [sign: string, word: string]> = {
  true: ['✓', 'true'],
  false: ['✗', 'false'],
  unread: ['?', 'could not be read'],
};

/** Shortens a statement on an event, in the built-in models' grammar, for readers who do not know it: `jar`, `not seen`. */
const shortText = (text: string): string =>
  text === 'none' ? 'not seen' : text.slice(text.lastIndexOf(' ') + 1);

export function Pinned({ pins }: { pins: readonly Pin[] }) {
  return (
    <>
      {pins.map(({ text, verdict, event }, i) => (
        <span key={i} class={`pin thought verdict-${verdict}`}>
          <span aria-hidden="true">{signs[verdict][0]}</span> {event === undefined ? text : shortText(text)}
          <span class="visually-hidden"> ({signs[verdict][1]})</span>
        </span>
      ))}
    </>
  );
}

/** Assigns each statement of a trace to an event of the story, in order. A conclusion and unread words refer to none. */
export function pinsOf({ events }: SwapStory, statements: readonly TraceStatement[]): Pin[] {
  let next = 0;
  return statements.map((statement) => {
    const isOfNone = statement.verdict === 'unread' || statement.text.startsWith('so ');
    return isOfNone || next === events.length ? statement : { ...statement, event: next++ };
  });
}
