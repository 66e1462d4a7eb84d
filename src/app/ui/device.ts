/** What the page calls the thing that it runs on. */

/** By what the browser says of itself: a tablet counts as a computer. */
export function deviceWord(): 'phone' | 'computer' {
  const { userAgentData } = navigator as { userAgentData?: { mobile?: boolean } };
  return (userAgentData?.mobile ?? /Mobile.*(Firefox|Safari)|iPhone/.test(navigator.userAgent))
    ? 'phone'
    : 'computer';
}
