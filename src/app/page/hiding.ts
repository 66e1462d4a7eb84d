/** What of the page is hidden, as a teacher's link may want it, what a run is called where its ending is, and whose it is. */
import type { RunConfig } from '../../run/config/config';
import { studentOfNote } from '../../run/sweep/class-note';
import { nameWithoutPreset, runName } from '../../share/name';
import type { Page } from './page';
import { runWords, runWordsWithoutPreset } from '../words/run-words';
import type { HideablePart } from '../../share/link-extras';

export const isHidden = ({ hidden }: Page, part: HideablePart): boolean => hidden.value.includes(part);

/** The name of a preset says how its run ends, and so is hidden with the verdict. */
export const hidesEnding = (page: Page): boolean => isHidden(page, 'verdict');

/** @param most - differences from the preset that are named; four where left out */
export function shownName(page: Page, config: RunConfig, most?: number): string {
  return hidesEnding(page) ? nameWithoutPreset(config, most) : runName(config, most);
}

/** The name in words. @param most - differences from the preset that are named; all where left out */
export const plainName = (page: Page, config: RunConfig, most?: number): string =>
  hidesEnding(page) ? runWordsWithoutPreset(config, most) : runWords(config, most);

/**
 * @param id - of a kept run, or of one that was opened from the results of a class
 * @returns the student's seat or name; null where the run is none of a class
 */
export function seatOf({ session, ofClass }: Page, id: string | null): string | null {
  const opened = ofClass.value;
  if (opened !== null && opened.id === id) return opened.student;
  const kept = session.runOf(id);
  return kept === undefined ? null : studentOfNote(kept.notes);
}
