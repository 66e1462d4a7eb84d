/**
 * What the page may load and run: one list for the `<meta>` that the build writes into index.html (so any static host
 * is covered) and for the header that `npm start` sends (which covers the worker as well; a meta tag does not).
 */
const directives: Record<string, string[]> = {
  'default-src': ["'none'"],
  // WebAssembly needs its own word; nothing else is evaluated.
  'script-src': ["'self'", "'wasm-unsafe-eval'"],
  'worker-src': ["'self'"],
  'style-src': ["'self'"],
  'img-src': ["'self'", 'data:', 'blob:'],
  // Models come from the Hub, the hosts that it redirects to, and any address that the visitor names, also on this machine.
  'connect-src': ["'self'", 'https:', 'http://localhost:*', 'http://127.0.0.1:*'],
  'manifest-src': ["'self'"],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'require-trusted-types-for': ["'script'"],
  // The one policy makes the address of our own worker and refuses every other.
  'trusted-types': ['marble-worker'],
};

export const contentSecurityPolicy = Object.entries(directives)
  .map(([name, values]) => `${name} ${values.join(' ')}`)
  .join('; ');

/**
 * Make the page cross-origin isolated: browsers share memory between threads only then. Workers inherit isolation only if
 * their own script has the second header, so every response needs both.
 */
export const isolationHeaders: Record<string, string> = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
};

/** Headers of every answer, for servers that can send them: they cover the worker, and keep other pages from framing this one. */
export const headersOfPage: Record<string, string> = {
  ...isolationHeaders,
  'content-security-policy': `${contentSecurityPolicy}; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};
