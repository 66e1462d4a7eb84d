/**
 * The page's content security policy: one list for the `<meta>` that the build writes into index.html (which covers any
 * static host) and for the header that `npm start` sends (which also covers the worker; a meta tag does not).
 */
const directives: Record<string, string[]> = {
  'default-src': ["'none'"],
  // WebAssembly needs its own keyword; nothing else is evaluated.
  'script-src': ["'self'", "'wasm-unsafe-eval'"],
  'worker-src': ["'self'"],
  'style-src': ["'self'"],
  'img-src': ["'self'", 'data:', 'blob:'],
  // Models come from the Hub and its redirects, data sets also from any address that the visitor enters, including this machine.
  'connect-src': ["'self'", 'https:', 'http://localhost:*', 'http://127.0.0.1:*'],
  'manifest-src': ["'self'"],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'require-trusted-types-for': ["'script'"],
  // This policy creates the address of the page's worker; all others are refused.
  'trusted-types': ['marble-worker'],
};

export const contentSecurityPolicy = Object.entries(directives)
  .map(([name, values]) => `${name} ${values.join(' ')}`)
  .join('; ');

/**
 * Make the page cross-origin isolated, because browsers share memory between threads only then. A worker inherits
 * isolation only if its own script has the second header, so every response needs both.
 */
export const isolationHeaders: Record<string, string> = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
};

/**
 * Headers of every response, for servers that can set them: they cover the worker and prevent framing by other pages.
 */
export const headersOfPage: Record<string, string> = {
  ...isolationHeaders,
  'content-security-policy': `${contentSecurityPolicy}; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};
