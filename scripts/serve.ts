/**
 * Serves the build on this machine and opens it: `npm start`, or `tsx scripts/serve.ts [--port 5173] [--no-open]`.
 *
 * It only reads files below `dist`, answers on localhost alone, and sends the content security policy as a header too,
 * which covers the worker and keeps other pages from framing this one: the page's own meta tag does neither.
 */
import { spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { extname, join, normalize, resolve as resolvePath, sep } from 'node:path';
import { pipeline } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { headersOfPage } from './content-security-policy';

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
};

/** Where an address points below `folder`, or null when it points out of it. */
function fileOf(folder: string, address: string): string | null {
  let path: string;
  try {
    path = decodeURIComponent(new URL(address, 'http://localhost').pathname);
  } catch {
    return null;
  }
  const file = normalize(join(folder, path.endsWith('/') ? `${path}index.html` : path));
  return file.startsWith(folder + sep) && !file.includes('\0') ? file : null;
}

/**
 * @param path - of the folder, in any form
 * @param port - 0 takes a free one
 * @returns the server and its address, with a slash at the end
 */
export async function serve(path: string, port = 0): Promise<{ server: Server; address: string }> {
  const folder = resolvePath(path);
  const server = createServer((request, response) => {
    void answer(folder, request.url ?? '/').then(({ status, headers, file }) => {
      response.writeHead(status, headers);
      if (file === null || request.method === 'HEAD') response.end();
      // Closes the file also where the visitor has left in the middle of it.
      else pipeline(createReadStream(file), response, () => undefined);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, 'localhost', resolve);
  });
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('The server has no port.');
  return { server, address: `http://localhost:${bound.port}/` };
}

interface Answer {
  status: number;
  headers: Record<string, string | number>;
  file: string | null;
}

async function answer(folder: string, address: string): Promise<Answer> {
  const file = fileOf(folder, address);
  const found = file === null ? null : await stat(file).catch(() => null);
  if (file === null || found?.isFile() !== true) {
    return { status: 404, headers: { 'content-type': 'text/plain' }, file: null };
  }
  return {
    status: 200,
    headers: {
      'content-type': types[extname(file)] ?? 'application/octet-stream',
      'content-length': found.size,
      ...headersOfPage,
      // Names in assets/ hold a hash of the content; everything else may change with the next build.
      'cache-control': file.includes(`${sep}assets${sep}`)
        ? 'public, max-age=31536000, immutable'
        : 'no-cache',
    },
    file,
  };
}

/** Opens the address in the visitor's browser, as far as there is one. */
function openBrowser(address: string): void {
  const [command, ...rest] =
    process.platform === 'darwin'
      ? ['open']
      : process.platform === 'win32'
        ? ['cmd', '/c', 'start', '']
        : ['xdg-open'];
  const child = spawn(command, [...rest, address], { stdio: 'ignore', detached: true });
  child.on('error', () => console.log('No browser could be opened; open the address yourself.'));
  child.unref();
}

/** Always the same, because what the browser keeps belongs to one address. */
const usualPort = 5173;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: String(usualPort) },
      'no-open': { type: 'boolean', default: false },
      folder: { type: 'string', default: join(import.meta.dirname, '..', 'dist') },
    },
  });
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new Error(`--port is ${values.port}; it must be a whole number from 0 to 65535.`);
  }
  if ((await stat(join(values.folder, 'index.html')).catch(() => null)) === null) {
    throw new Error(`There is no build in ${values.folder}. Run \`npm run build\` first.`);
  }
  const { folder } = values;
  const { address } = await serve(folder, port).catch((error: unknown) => {
    const taken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    if (!taken || port !== usualPort) throw error;
    console.log(`Port ${usualPort} is taken: runs kept there are not seen at another.`);
    return serve(folder);
  });
  console.log(`Marble is at ${address} (end with Ctrl+C)`);
  if (!values['no-open']) openBrowser(address);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  main().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });
}
