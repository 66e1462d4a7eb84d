/**
 * The service worker's cache of the built page. The build states a SHA-256 for each file. A response with another content,
 * such as the login page of a network, is passed on once and not kept. The cache is optional: after any failure the
 * response comes from the network.
 */

/** Files by their path in the build, with the SHA-256 of each in hexadecimal digits. */
export type Hashes = Readonly<Record<string, string>>;

export interface Shell {
  version: string;
  /** Files to keep before they are requested. */
  files: Hashes;
  /** Files to keep when they are first requested. */
  later: Hashes;
  /** Added to every response. */
  headers: Readonly<Record<string, string>>;
}

/** The globals of a service worker. */
export interface Surroundings {
  /** Address of the deployment's folder. */
  scope: string;
  caches: CacheStorage;
  fetch: typeof fetch;
  /** Milliseconds for one call of the cache. A disk that is asleep takes a few seconds. */
  patience?: number;
}

/** Two deployments of one origin share its caches. A path has no space, so no name is the start of another's. */
const prefixOf = (scope: string): string => `marble-shell-${new URL(scope).pathname} `;

export function createShellCache(shell: Shell, { scope, caches, fetch, patience = 10_000 }: Surroundings) {
  const prefix = prefixOf(scope);
  const cacheName = prefix + shell.version;
  const addressOf = (file: string): string => new URL(file, scope).href;
  const hashes = new Map(
    Object.entries({ ...shell.files, ...shell.later }).map(([file, hash]) => [addressOf(file), hash]),
  );

  const atOnce = new Set(Object.keys(shell.files).map(addressOf));

  let isSilent = false;
  /** The result of a call of the cache; null if it fails, or if this or an earlier one does not answer. */
  const attempt = async <T>(call: () => Promise<T>): Promise<T | null> => {
    if (isSilent) return null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const silence = new Promise<null>((resolve) => {
      timer = setTimeout(() => {
        isSilent = true;
        resolve(null);
      }, patience);
    });
    try {
      return await Promise.race([call(), silence]);
    } catch {
      return null;
    } finally {
      clearTimeout(timer);
    }
  };
  const kept = async (address: string): Promise<Response | null> =>
    (await attempt(async () => (await caches.open(cacheName)).match(address))) ?? null;

  /** Keeps a response if it is the file of the build. */
  const keep = async (address: string, response: Response): Promise<void> => {
    const bytes = await response.arrayBuffer().catch(() => null);
    if (bytes === null || (await sha256(bytes)) !== hashes.get(address)) return;
    const { status, headers } = response;
    const copy = new Response(bytes, { status, headers: withoutEncoding(headers) });
    await attempt(async () => (await caches.open(cacheName)).put(address, copy));
  };
  /** Lets the next load fetch the page: the server has another version, and this one lacks a file. */
  const forgetPage = (): Promise<unknown> =>
    attempt(async () => (await caches.open(cacheName)).delete(addressOf('index.html')));
  /** Requests a file whole, past the browser's own cache, which may have that of an older version. */
  const fetchWhole = (address: string): Promise<Response> => fetch(address, { cache: 'no-cache' });

  return {
    /**
     * Keeps the files that no request has to wait for.
     *
     * @throws if the network fails; the browser then keeps the previous version and tries again
     */
    async install(): Promise<void> {
      await Promise.all(
        Object.keys(shell.files).map(async (file) => {
          const address = addressOf(file);
          if ((await kept(address)) !== null) return;
          const response = await fetchWhole(address);
          if (!response.ok) throw new Error(`${address} was answered with ${response.status}.`);
          await keep(address, response);
        }),
      );
    },

    /** Deletes the caches of other versions of this deployment. */
    async deleteOthers(): Promise<void> {
      await attempt(async () => {
        const names = await caches.keys();
        const old = names.filter((name) => name.startsWith(prefix) && name !== cacheName);
        await Promise.all(old.map((name) => caches.delete(name)));
      });
    },

    /**
     * The response to a request, with the headers of the deployment.
     *
     * @param later - receives work that the response does not wait for
     * @returns null for a request that is not for a file of the build
     */
    answer(request: Request, later: (work: Promise<unknown>) => void): Promise<Response> | null {
      if (request.method !== 'GET') return null;
      const asked = new URL(request.url);
      asked.hash = asked.search = '';
      const address = asked.href === scope ? addressOf('index.html') : asked.href;
      if (!hashes.has(address)) {
        // All files of the models of the build are known, so others need no request.
        if (!address.startsWith(addressOf('models/'))) return null;
        return isolated(Promise.resolve(new Response('', { status: 404 })));
      }
      const respond = async (): Promise<Response> => {
        const found = await kept(address);
        if (found !== null) return found;
        // The browser follows the redirects of a page itself. Of other files a part may be requested, which cannot be kept.
        const response = await (request.mode === 'navigate' ? fetch(request) : fetchWhole(address));
        if (response.ok) later(keep(address, response.clone()));
        else if (response.status === 404 && atOnce.has(address)) later(forgetPage());
        return response;
      };
      return isolated(respond());
    },
  };

  async function isolated(answered: Promise<Response>): Promise<Response> {
    const response = await answered;
    const { body, status, statusText } = response;
    if (status === 0) return response; // a redirect, which the browser follows itself
    const headers = new Headers(response.headers);
    for (const [name, value] of Object.entries(shell.headers)) headers.set(name, value);
    return new Response(body, { status, statusText, headers });
  }
}

/** The bytes are decompressed already. */
function withoutEncoding(headers: Headers): Headers {
  const rest = new Headers(headers);
  for (const name of ['content-encoding', 'content-length']) rest.delete(name);
  return rest;
}

async function sha256(bytes: ArrayBuffer): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
