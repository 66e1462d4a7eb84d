/** Words about the visitor's device. */

/**
 * Hint for a computer that may have a faster graphics card. On Windows the system chooses the card of a browser. A laptop
 * with two cards may offer the integrated one, and a page cannot request the other.
 *
 * @param adapter - its name, which begins with its vendor; null without an adapter
 */
export function otherCardWords(adapter: string | null): string | null {
  const onWindows = navigator.userAgent.includes('Windows');
  if (!onWindows || adapter === null || !/^(intel|amd)\b/i.test(adapter)) return null;
  return 'If this computer has a second, stronger graphics card: Windows gives it to a browser where Settings, System, Display, Graphics say “High performance” for that browser; restart it then.';
}
