/** What a person would call the sets of questions that training never sees, and the one that chooses the best step. */
const names: Readonly<Record<string, string>> = {
  validation: 'validation set, which only picks the best step',
  're-entry': 'stories in which somebody comes back',
  'other world': 'stories with a weak shortcut',
};

/** @param name - as files have it */
export function setName(name: string): string {
  return names[name] ?? name;
}
