/** What one takes away of a report: paper, or a page that stands alone. */
import type { RefObject } from 'preact';
import { saveFile } from '../ui/save-file';
import { reportFile } from './report-file';

export function TakeReport(props: {
  article: RefObject<HTMLElement | null>;
  title: string;
  /** Without its ending. */
  name: string;
  isPrimary?: boolean;
}) {
  const { article, title, name, isPrimary = false } = props;
  const save = (): void => saveFile(`${name}.html`, reportFile(article.current!, title));
  return (
    <>
      <button type="button" class={isPrimary ? 'primary' : ''} onClick={() => print()}>
        Print, or save as PDF
      </button>
      <button type="button" onClick={save}>
        Save the report as a page
      </button>
    </>
  );
}
