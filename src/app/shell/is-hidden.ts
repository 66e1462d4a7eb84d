/** Whether a part of the page is hidden, as a teacher's link may want it. */
import type { HideablePart } from '../../share/link-extras';
import type { Page } from '../page';

export const isHidden = ({ hidden }: Page, part: HideablePart): boolean => hidden.value.includes(part);
