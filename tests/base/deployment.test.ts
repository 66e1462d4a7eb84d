import { expect, it } from 'vitest';
import { deploymentPath, ofDeployment } from '../../src/base/deployment';

it('the page and its workers agree on the folder of their deployment, with and without a file name', () => {
  for (const folder of ['/', '/a/', '/a/b/']) {
    const address = `https://example.org${folder}`;
    for (const page of ['', 'index.html', '?query'])
      expect(deploymentPath({ document: { baseURI: address + page } })).toBe(folder);
    for (const script of ['assets/trainer.worker-1a.js', 'workers/trainer.worker.ts?worker_file&type=module'])
      expect(deploymentPath({ location: { href: address + script } })).toBe(folder);
  }
  expect(deploymentPath({})).toBe('/');
});

it('no deployment has the name of another one, or the start of it', () => {
  const names = ['/', '/a/', '/a/b/', '/b/'].map((path) => `${ofDeployment('marble-run', path)}/`);
  expect(names[0]).toBe('marble-run/');
  expect(new Set(names).size).toBe(4);
  for (const one of names)
    for (const other of names) expect(one.startsWith(other), `${one} ${other}`).toBe(one === other);
});
