/** What the page calls the thing that it runs on. */

/** By what the browser says of itself: a tablet counts as a computer. */
export function deviceWord(): 'phone' | 'computer' {
  const { userAgentData } = navigator as { userAgentData?: { mobile?: boolean } };
  return (userAgentData?.mobile ?? /Mobile.*(Firefox|Safari)|iPhone/.test(navigator.userAgent))
    ? 'phone'
    : 'computer';
}

/**
 * Of a computer that may have a stronger card than the one it offers: on Windows browsers get the one that the system has
 * picked, which on a laptop with two is the processor's own, and no page can ask for the other.
 *
 * @param adapter - its name, which begins with its maker; null where there is none
 */
export function otherCardWords(adapter: string | null): string | null {
  const onWindows = navigator.userAgent.includes('Windows');
  if (!onWindows || adapter === null || !/^(intel|amd)\b/i.test(adapter)) return null;
  return 'If this computer has a second, stronger graphics card: Windows gives it to a browser where Settings, System, Display, Graphics say “High performance” for that browser; restart it then.';
}
