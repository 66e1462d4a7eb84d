import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

interface LockedPackage {
  license?: string;
  integrity?: string;
  resolved?: string;
  dev?: boolean;
}

const lock = JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'package-lock.json'), 'utf8')) as {
  packages: Record<string, LockedPackage>;
};
/** Excludes the project itself. */
const packages = Object.fromEntries(Object.entries(lock.packages).filter(([name]) => name !== ''));

/** Licences of code in the page, which must permit distribution under Apache-2.0. */
const inThePage = ['MIT', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', '0BSD'];
/** Additional licences for build and test programs, which are not distributed. */
const besides = ['MPL-2.0', 'BlueOak-1.0.0'];

describe('every locked package', () => {
  it('has a licence that permits distribution of the page', () => {
    const others = Object.entries(packages).filter(([, { license = 'none', dev }]) => {
      const allowed = dev === true ? [...inThePage, ...besides] : inThePage;
      return !license
        .replace(/[()]/g, '')
        .split(' OR ')
        .some((one) => allowed.includes(one));
    });
    expect(others.map(([name, { license }]) => [name, license])).toEqual([]);
  });

  it('has a hash, and comes from a registry', () => {
    const loose = Object.entries(packages).filter(
      ([, { integrity, resolved }]) =>
        integrity?.startsWith('sha512-') !== true || resolved?.startsWith('https://') === false,
    );
    expect(loose.map(([name]) => name)).toEqual([]);
  });
});
