/**
 * Where a server may send a request on to: one that somebody named, to no other, since nobody has agreed to that one; the
 * Hub, to the hosts that keep its large files, which is said where the visitor agrees to it.
 */
import { MarbleError } from '../../base/error';

const HUB = 'huggingface.co';
const REDIRECTS = [301, 302, 303, 307, 308];

/** A file's address, and where it was redirected to: asked there directly until that fails, as signed addresses do. */
export interface Place {
  readonly address: string;
  at: string;
}

/**
 * `fetch` of a place, which tells the server of no page that it comes from.
 *
 * @param onlyHere - whether the server is one that somebody named
 * @throws MarbleError `model/redirected` where such a server sends on, and what `fetch` throws
 */
export async function fetchOnlyAgreed(
  { address, at }: Place,
  onlyHere: boolean,
  init: Pick<RequestInit, 'headers' | 'signal' | 'cache'>,
): Promise<Response> {
  const isHeld = onlyHere && new URL(at).host !== HUB;
  const redirect = isHeld ? 'manual' : 'follow';
  const response = await fetch(at, { ...init, redirect, referrerPolicy: 'no-referrer' });
  // A browser does not say where it would lead.
  const sendsOn = response.type === 'opaqueredirect' || (isHeld && REDIRECTS.includes(response.status));
  if (!sendsOn) return response;
  throw new MarbleError(
    'model/redirected',
    `The server sends on from ${address} to another address, which nobody has agreed to.`,
    'Open the address in a tab, and give the one that it leads to.',
  );
}
