import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createSha256 } from '../../src/base/sha256';

const reference = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('SHA-256 of a stream', () => {
  it('equals the digests of FIPS 180-4', () => {
    const digestOf = (text: string) => {
      const hash = createSha256();
      hash.update(new TextEncoder().encode(text));
      return hash.digest();
    };
    expect(digestOf('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    expect(digestOf('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(digestOf('abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq')).toBe(
      '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
    );
  });

  it('equals the reference after every chunk, for chunks of any length', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 8 }), (chunks) => {
        const hash = createSha256();
        let before = new Uint8Array();
        for (const chunk of chunks) {
          hash.update(chunk);
          before = new Uint8Array([...before, ...chunk]);
          expect(hash.digest()).toBe(reference(before));
        }
      }),
      { numRuns: 500 },
    );
  });

  it('resumes from its state at a block boundary', () => {
    const bytes = Uint8Array.from({ length: 5000 }, (_, index) => (index * 31) % 251);
    const first = createSha256();
    first.update(bytes.subarray(0, 64 * 13));
    const second = createSha256(first.state());
    second.update(bytes.subarray(64 * 13));
    expect(second.digest()).toBe(reference(bytes));
  });
});
