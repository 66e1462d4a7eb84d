/**
 * Rules for redirects. A server named by a user or a link must not redirect, since the visitor agreed to contact only that
 * server. The Hub may redirect to the hosts of its large files, which the consent text mentions.
 */
import { MarbleError } from '../../base/error';

const HUB = 'huggingface.co';
const REDIRECTS = [301, 302, 303, 307, 308];

/** A file's address and its redirect target `at`. Requests go to the target until it fails, as signed addresses expire. */
export interface Place {
  readonly address: string;
  at: string;
}

/**
 * Fetches a place without a Referer header.
 *
 * @param onlyHere true for a server named by a user or a link, which must not redirect
 * @throws MarbleError `model/redirected` if such a server redirects, and errors of `fetch`
 */
export async function fetchOnlyAgreed(
  { address, at }: Place,
  onlyHere: boolean,
  init: Pick<RequestInit, 'headers' | 'signal' | 'cache'>,
): Promise<Response> {
  const mustNotRedirect = onlyHere && new URL(at).host !== HUB;
  const redirect = mustNotRedirect ? 'manual' : 'follow';
  const response = await fetch(at, { ...init, redirect, referrerPolicy: 'no-referrer' });
  // Browsers do not reveal the target of a manual redirect.
  const isRedirect =
    response.type === 'opaqueredirect' || (mustNotRedirect && REDIRECTS.includes(response.status));
  if (!isRedirect) return response;
  throw new MarbleError(
    'model/redirected',
    `The server redirects ${address} to another address, to which the visitor has not agreed.`,
    'Open the address in a tab, and use the address to which it redirects.',
  );
}
