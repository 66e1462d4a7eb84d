/** Serves a page to a browser and waits for its answer: the matrix's own page, built once, and others. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'vite';
import type { CheckResult } from './check';

const types: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.wasm': 'application/wasm',
};
const root = resolve(import.meta.dirname, '..', '..');

/** @returns the folder, below `folder`, that is served */
export async function buildPage(folder: string): Promise<string> {
  const out = join(folder, 'page');
  await build({
    configFile: false,
    logLevel: 'error',
    root: import.meta.dirname,
    publicDir: false,
    build: {
      outDir: out,
      emptyOutDir: true,
      target: 'es2022',
      minify: false,
      modulePreload: false,
      chunkSizeWarningLimit: 8192,
      rolldownOptions: {
        input: join(import.meta.dirname, 'page.html'),
        output: { entryFileNames: 'page.js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  });
  return out;
}

export interface Runner {
  command: string;
  /** @param address of the folder, with a slash at the end @param scratch a temporary folder for this run */
  given: (address: string, scratch: string) => string[];
  environment: (scratch: string) => Record<string, string>;
}

export interface Answer {
  /** Null where the program ended, failed or ran out of time. */
  result: CheckResult | null;
  /** The last lines of what went wrong. */
  error: string;
  warnings: number;
}

/**
 * Starts the program on the page and waits for its answer. Models and tfjs's wasm that the folder lacks are served too.
 */
export async function ask(
  folder: string,
  runner: Runner,
  { seconds, log }: { seconds: number; log: (line: string) => void },
): Promise<Answer> {
  const scratch = mkdtempSync(join(tmpdir(), 'marble-matrix-'));
  mkdirSync(join(scratch, 'run'), { mode: 0o700 });
  let warnings = 0;
  const answer: Answer = { result: null, error: 'It ran out of time.', warnings: 0 };
  let end: () => void = () => undefined;
  const ended = new Promise<void>((over) => (end = over));
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname.slice(1);
    if (request.method === 'POST') {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        response.end();
        const body = Buffer.concat(parts).toString();
        if (path === 'line') log(body);
        if (path === 'result') Object.assign(answer, { result: JSON.parse(body) as CheckResult, error: '' });
        if (path === 'error') answer.error = body;
        if (path !== 'line') end();
      });
      return;
    }
    const own = join(folder, path);
    const file = existsSync(own)
      ? own
      : path.endsWith('.wasm')
        ? join(root, 'node_modules/@tensorflow/tfjs-backend-wasm/dist', path)
        : join(root, 'public', path);
    readFile(file).then(
      (content) =>
        response.setHeader('content-type', types[extname(file)] ?? 'application/octet-stream').end(content),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const page = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const child = spawn(runner.command, runner.given(page, scratch), {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...runner.environment(scratch) },
  });
  const last: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface(stream).on('line', (line) => {
      if (/validation (warning|error)|VUID-|GPUValidationError/i.test(line)) warnings++;
      last.push(line);
      if (last.length > 8) last.shift();
    });
  }
  child.once('error', (error) => {
    answer.error = error.message;
    end();
  });
  child.once('exit', (status) => {
    answer.error = `It ended with ${status}. ${last.join('\n')}`;
    end();
  });
  const timer = setTimeout(() => end(), 1000 * seconds);
  await ended;
  clearTimeout(timer);
  child.removeAllListeners('exit');
  const gone = new Promise((over) => child.once('exit', over));
  if (child.exitCode === null && child.kill()) await gone;
  server.closeAllConnections();
  server.close();
  rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
  return { ...answer, warnings };
}

/** Path of Firefox as installed by Debian or a package, or null. */
export function findFirefox(): string | null {
  return ['/usr/bin/firefox-esr', '/usr/bin/firefox'].find((file) => existsSync(file)) ?? null;
}

/** @param page below the address */
export function firefox(command: string, page: string): Runner {
  return {
    command,
    given: (address, scratch) => {
      const profile = join(scratch, 'profile');
      mkdirSync(profile);
      const preferences = {
        'dom.webgpu.enabled': true,
        'gfx.webgpu.ignore-blocklist': true, // the blocklist has software adapters
        'browser.shell.checkDefaultBrowser': false,
        'datareporting.policy.dataSubmissionEnabled': false,
        'app.update.enabled': false,
        'browser.startup.homepage_override.mstone': 'ignore',
      };
      const lines = Object.entries(preferences).map(
        ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`,
      );
      writeFileSync(join(profile, 'user.js'), lines.join(''));
      return ['--headless', '--no-remote', '--profile', profile, `${address}${page}`];
    },
    environment: (scratch) => ({ XDG_RUNTIME_DIR: join(scratch, 'run'), MOZ_HEADLESS: '1' }),
  };
}
