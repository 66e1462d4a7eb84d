/** No wait for a server is without end: silence and long delays end in a named error, and a signal ends each at once. */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { fetchPage } from '../../../src/model/source/remote-source';
import { refusal, refusalOf } from '../refusal';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  return `http://localhost:${(server.address() as AddressInfo).port}/file`;
}

const answers =
  (status: number, headers: () => Record<string, string>): RequestListener =>
  (_, response) =>
    response.writeHead(status, headers()).end();
const clockBehind = (seconds: number): string => new Date(Date.now() + 1000 * (seconds - 3600)).toUTCString();
const rateLimit = () => ({ ratelimit: '"api";r=400;t=250' });
const silent: RequestListener = () => undefined;
const half: RequestListener = (_, response) =>
  response.writeHead(200, { 'content-length': '10' }).write('half');
const inDate = () => ({ date: clockBehind(0), 'retry-after': clockBehind(250) });
const quick = { retryDelay: 1, silence: 200 };

describe('a server that', () => {
  it.each<[string, RequestListener, string, string]>([
    ['answers nothing', silent, 'unreachable', 'sent nothing for 0 seconds, at attempt 4 of 4'],
    ['sends half of a file', half, 'unreachable', 'sent nothing for 0 seconds, at attempt 4 of 4'],
    ['asks for minutes', answers(429, () => ({ 'retry-after': '250' })), 'busy', 'asks to wait 250 seconds'],
    ['asks for minutes by a clock an hour behind', answers(429, inDate), 'busy', 'asks to wait 250 seconds'],
    ['states its rate limit with status 404', answers(404, rateLimit), 'file-missing', 'There is no file'],
    ['states its rate limit with status 503', answers(503, rateLimit), 'busy', '4 times'],
  ])('%s is not waited for, and the error says why', async (_, answer, code, words) => {
    const fetching = fetchPage(await serve(answer), 1000, quick);
    await expect(fetching).rejects.toEqual(refusal(`model/${code}`, words));
  });

  it.each<[string, RequestListener]>([
    ['answers nothing', silent],
    ['sends half of a file', half],
    ['is busy', answers(503, () => ({ 'retry-after': '15' }))],
  ])('%s is left at once when the download is stopped', async (_, answer) => {
    const abort = new AbortController();
    const address = await serve((...asked) => {
      setTimeout(() => abort.abort(), 200); // while the client waits
      answer(...asked);
    });
    const start = performance.now();
    expect(await refusalOf(() => fetchPage(address, 1000, { signal: abort.signal }))).toBe('model/aborted');
    expect(performance.now() - start).toBeLessThan(10_000);
  });

  it('announces the length of a compressed body, is read to its end, but no body that ends early', async () => {
    // As a page sees it, to which another host does not show `content-encoding`.
    const headers = { 'content-length': '30' };
    const fetched = vi.spyOn(globalThis, 'fetch');
    const read = (length: number) => {
      fetched.mockImplementation(() => Promise.resolve(new Response('x'.repeat(length), { headers })));
      return fetchPage('http://models.test/list', 1000, quick).then(({ bytes }) => bytes);
    };
    expect(await read(1000)).toHaveLength(1000);
    expect(await read(2)).toHaveLength(2); // gzip makes 22 bytes of 2
    headers['content-length'] = '1000';
    expect(await refusalOf(() => read(900))).toBe('model/download-truncated');
    fetched.mockRestore();
  });

  it('is slow, but not silent, is read to its end', async () => {
    const address = await serve((_, response) => {
      response.writeHead(200, { 'content-length': '10' });
      let count = 0;
      const timer = setInterval(() => {
        response.write('x');
        if ((count += 1) < 10) return;
        clearInterval(timer);
        response.end();
      }, 50);
    });
    expect((await fetchPage(address, 1000, { silence: 300 })).bytes).toHaveLength(10);
  });
});
