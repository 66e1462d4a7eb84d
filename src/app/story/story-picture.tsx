/**
 * A story as a picture: people are lanes, events are columns, and a lane is shaded while its person is in the room. What
 * completions say stands under the event that it speaks of. It is a table, so that it can be read aloud and scrolled.
 */
import { useEffect, useRef } from 'preact/hooks';
import type { Rollout } from '../../run/rollout-record';
import { decidingEvent, isSeenByAll } from '../../tom/seen-event';
import type { SmallStory } from '../../tom/read-small-story';
import { signs } from '../thinking';
import { pinsOf, type Pin } from './pins';
import { lineWords } from './sentences';

interface Column {
  words: string;
  actor: string | null;
  present: readonly string[];
  /** Index of the event; null for an exit, which shows nothing about the object. */
  event: number | null;
}

export function columnsOf({ world }: SmallStory): Column[] {
  let present: readonly string[] = world.agents;
  let event = 0;
  const columns: Column[] = [{ words: `${world.object} in ${world.start}`, actor: null, present, event }];
  for (const line of world.lines) {
    if (line.act === 'exited') present = present.filter((agent) => agent !== line.actor);
    else if (line.act === 'entered') present = [...present, line.actor];
    if (line.act !== 'exited') event += 1;
    columns.push({
      words: lineWords(line),
      actor: line.actor,
      present,
      event: line.act === 'exited' ? null : event,
    });
  }
  return columns;
}

/** @param told completions to the same question, with what each is called */
export function StoryPicture({
  story,
  told,
  label = 'The story as a picture',
}: {
  story: SmallStory;
  told: readonly { name: string; rollout: Rollout }[];
  /** Where a page has several, their names differ. */
  label?: string;
}) {
  const { world, events } = story;
  const { chain } = world;
  const columns = columnsOf(story);
  const deciding = decidingEvent(events, chain);
  const [{ rollout }] = told;
  const { shortcutAnswer, goldAnswer } = rollout;
  const isDeciding = ({ event }: Column): boolean => event === deciding;
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => watchRest(frame.current!), []);
  return (
    <div class="scroll" ref={frame} tabIndex={0} role="region" aria-label={label}>
      <table class="story">
        <thead>
          <tr>
            <th scope="col">What happens</th>
            {columns.map((column, i) => (
              <th key={i} scope="col" class={isDeciding(column) ? 'deciding' : ''}>
                {column.words}
              </th>
            ))}
            <th scope="col">Answer</th>
          </tr>
        </thead>
        <tbody>
          {world.agents.map((agent, lane) => (
            <tr key={lane} class={chain.includes(agent) ? 'asked' : ''}>
              <th scope="row">
                {agent}
                {chain.includes(agent) ? <small> asked, {chain.indexOf(agent) + 1}</small> : null}
              </th>
              {columns.map(({ actor, present }, i) => (
                <td key={i} class={present.includes(agent) ? 'present' : ''}>
                  {actor === agent ? <b>●</b> : null}
                  <span class="visually-hidden">
                    {present.includes(agent) ? 'in the room' : 'away'}
                    {actor === agent ? ', acts' : ''}
                  </span>
                </td>
              ))}
              <td />
            </tr>
          ))}
          <tr class="truth">
            <th scope="row">{world.object} is in</th>
            {columns.map((column, i) => (
              <td key={i} class={isDeciding(column) ? 'deciding' : ''}>
                {column.event === null ? '' : events[column.event].place}
              </td>
            ))}
            <td>
              <b class="right">{goldAnswer}</b>
            </td>
          </tr>
          <tr class="truth">
            <th scope="row">{chain.length < 2 ? 'who is asked saw it' : 'all asked saw it'}</th>
            {columns.map((column, i) => (
              <td key={i} class={isDeciding(column) ? 'deciding' : ''}>
                {column.event === null ? '' : isSeenByAll(events[column.event], chain) ? 'yes' : 'no'}
                {isDeciding(column) ? <b>, last</b> : ''}
              </td>
            ))}
            <td />
          </tr>
          {shortcutAnswer === null ? null : (
            <tr class="shortcut">
              <th scope="row">the shortcut</th>
              {columns.map(({ event }, i) => (
                <td key={i}>{event === 1 ? `looks: ${events[1].place}` : ''}</td>
              ))}
              <td>
                <b>{shortcutAnswer}</b> {shortcutAnswer === goldAnswer ? '✓' : '✗'}
              </td>
            </tr>
          )}
          {told.map(({ name, rollout: told }) => (
            <Told key={name} name={name} story={story} columns={columns} rollout={told} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Marks a frame while columns lie behind its right edge. */
function watchRest(frame: HTMLDivElement): () => void {
  const look = (): void => {
    const rest = frame.scrollWidth - frame.clientWidth - frame.scrollLeft;
    frame.classList.toggle('has-more', rest > 1);
  };
  const watcher = new ResizeObserver(look);
  watcher.observe(frame);
  watcher.observe(frame.firstElementChild!);
  frame.addEventListener('scroll', look, { passive: true });
  return () => {
    watcher.disconnect();
    frame.removeEventListener('scroll', look);
  };
}

function Told(props: { name: string; story: SmallStory; columns: readonly Column[]; rollout: Rollout }) {
  const { name, story, columns, rollout } = props;
  const { trace, answer, correct, think } = rollout.reward;
  const pins = pinsOf(story, trace?.statements ?? []);
  if (think.trim() === '') {
    return (
      <tr class="told">
        <th scope="row">{name}</th>
        <td colSpan={columns.length}>
          <em>thinks nothing at all</em>
        </td>
        <td>
          <Answer answer={answer} correct={correct} />
        </td>
      </tr>
    );
  }
  return (
    <tr class="told">
      <th scope="row">{name}</th>
      {columns.map(({ event }, i) => (
        <td key={i}>
          <Pinned pins={event === null ? [] : pins.filter((pin) => pin.event === event)} />
        </td>
      ))}
      <td>
        <Pinned pins={pins.filter(({ event }) => event === 'answer' || event === null)} />
        <Answer answer={answer} correct={correct} />
      </td>
    </tr>
  );
}

function Pinned({ pins }: { pins: readonly Pin[] }) {
  return (
    <>
      {pins.map(({ text, verdict }, i) => (
        <span key={i} class={`pin verdict-${verdict}`}>
          <span aria-hidden="true">{signs[verdict].sign}</span> {text}
          <span class="visually-hidden"> ({signs[verdict].word})</span>
        </span>
      ))}
    </>
  );
}

function Answer({ answer, correct }: { answer: string | null; correct: boolean }) {
  return (
    <b class={correct ? 'right' : 'wrong'}>
      {correct ? '✓' : '✗'} {answer ?? 'unreadable'}
    </b>
  );
}
