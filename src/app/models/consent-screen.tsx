/** Asks before another server hears of a run at all. */
import { useEffect, useRef } from 'preact/hooks';
import type { Consent } from '../session/consent';

export function ConsentScreen({ consent }: { consent: Consent }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), [consent]);
  const hosts = [...new Set(consent.contacts.map(({ host }) => host))];
  return (
    <section class="screen asks" aria-labelledby="consent-title">
      <h2 id="consent-title" ref={heading} tabIndex={-1}>
        This run needs files from {hosts.join(' and ')}
      </h2>
      <ul>
        {consent.contacts.map(({ what, address, host }) => (
          <li key={what}>
            Its {what} is at <b>{host}</b>: {address}
          </li>
        ))}
        <li>
          Nothing has been asked of {hosts.length > 1 ? 'them' : 'it'} yet. A request tells a server this
          computer’s address and which file is wanted
          {hosts.includes('huggingface.co') ? '; the Hub sends large files from hosts of its own' : ''}.
          Nothing of your data is sent.
        </li>
      </ul>
      <div class="actions">
        <button type="button" class="primary" onClick={() => consent.answer(true)}>
          Contact {hosts.join(' and ')}
        </button>
        <button type="button" onClick={() => consent.answer(false)}>
          No, go back
        </button>
      </div>
    </section>
  );
}
