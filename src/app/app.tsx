import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Doc } from './words/doc-link';
import { LadderPage } from './ladder/ladder-page';
import { Guard } from './ui/guard';
import { later } from './ui/later';
import { CopyLink, LessonSwitch } from './link/link';
import type { Page } from './page/page';
import type { Place, Places } from './page/place';

export const RunPlace = later(() => import('./run/run-place').then((part) => part.RunPlace));
const ErrorScreen = later(() => import('./shell/screens').then((part) => part.ErrorScreen));
const Notice = later(() => import('./shell/screens').then((part) => part.Notice));
const WaitNotice = later(() => import('./shell/screens').then((part) => part.WaitNotice));
const ConsentScreen = later(() => import('./models/download-screen').then((part) => part.ConsentScreen));
const DownloadScreen = later(() => import('./models/download-screen').then((part) => part.DownloadScreen));
const SweepsPage = later(() => import('./sweeps/sweeps-page').then((part) => part.SweepsPage));
const ClassPage = later(() => import('./class/class-page').then((part) => part.ClassPage));
const DataPage = later(() => import('./data/data-page').then((part) => part.DataPage));
const contents = { ladder: LadderPage, run: RunPlace, data: DataPage, sweeps: SweepsPage, class: ClassPage };

/** Focuses the heading of a place, or waits for the chunk that contains it. */
function focusHeading(main: HTMLElement): void {
  const focus = (): boolean => {
    const heading = main.querySelector<HTMLElement>('h1');
    heading?.focus();
    return heading !== null;
  };
  if (focus()) return;
  const arrival = new MutationObserver(() => {
    if (document.activeElement !== document.body || focus()) arrival.disconnect();
  });
  arrival.observe(main, { childList: true, subtree: true });
}

export function App({ page }: { page: Page }) {
  const { session, places } = page;
  const screen = session.screen.value;
  const notice = session.notice.value;
  const wait = session.waiting.value;
  const question = session.question.value;
  const place = places.place.value;
  const Shown = contents[place.name];
  const main = useRef<HTMLElement>(null);
  const came = useRef(place);
  useEffect(() => void RunPlace.ready(), []); // preloaded, since a click needs it at once
  useEffect(() => {
    // Moves the focus to the heading of a new place, unless the place names a tab.
    if (came.current !== place && (!('tab' in place) || place.tab === undefined)) focusHeading(main.current!);
    came.current = place;
  }, [place]);
  return (
    <>
      <header class="top spread">
        <Brand places={places} isOfClass={page.classroom.value !== null} />
        <nav aria-label="Places">
          {placeNames.slice(0, page.lesson.value ? 1 : undefined).map(([name, words]) => (
            <PlaceButton key={name} {...{ places, name, words }} look="plain" />
          ))}
        </nav>
        {/* The page of the class makes its own link. */}
        {place.name === 'class' ? null : <CopyLink {...page} />}
      </header>
      <main class="stack" ref={main}>
        {screen === null ? null : <ErrorScreen {...page} error={screen} />}
        {question === null ? null : 'contacts' in question ? (
          <ConsentScreen session={session} consent={question} />
        ) : (
          <DownloadScreen session={session} question={question} />
        )}
        {wait === null ? null : <WaitNotice wait={wait} />}
        {notice === null ? null : <Notice {...page} notice={notice} />}
        <Guard key={place.name}>
          <Shown {...page} />
        </Guard>
      </main>
      <footer class="spread small quiet">
        <p>
          Open source (Apache-2.0). The embedded models are toys: they show in minutes what was reported of
          large ones. They are illustrations, not evidence. <Doc name="faq">Questions and terms</Doc>
        </p>
        <LessonSwitch lesson={page.lesson} />
      </footer>
    </>
  );
}

/** Leads to the first screen; plain text in a class, whose address would be lost. */
function Brand({ places, isOfClass }: { places: Places; isOfClass: boolean }) {
  const name = (
    <>
      <img src="./marble.svg" alt="" width="30" height="30" />
      Marble
    </>
  );
  if (isOfClass) return <p class="brand">{name}</p>;
  return <PlaceButton {...{ places }} name="ladder" look="brand plain" words={name} />;
}

const placeNames = [
  ['run', 'Train'],
  ['data', 'Data'],
  ['sweeps', 'Sweeps'],
  ['class', 'Class'],
] as const;

function PlaceButton(props: { places: Places; name: Place['name']; look: string; words: ComponentChildren }) {
  const { places, name, look, words } = props;
  const isHere = places.place.value.name === name;
  return (
    <button class={look} aria-current={isHere ? 'page' : undefined} onClick={() => places.go({ name })}>
      {words}
    </button>
  );
}
