/**
 * Writes a random checkpoint of Qwen2.5-0.5B's true shape (988 MB in bf16), for tests and benches of loading and of the
 * kernels: config.json and model.safetensors, streamed to disk. The same seed gives the same bytes.
 *
 *     npx tsx bench/make-checkpoint.ts [folder = .cache/random-0.5b] [layers = 24] [seed = 1]
 */
import { once } from 'node:events';
import { createWriteStream, mkdirSync, writeFileSync, type WriteStream } from 'node:fs';
import { join } from 'node:path';
import { parseModelConfig } from '../src/model/config';
import { toBfloat16 } from '../src/model/files/half-floats';
import { expectedTensors, type ExpectedTensor } from '../src/model/files/tensor-table';
import { createRandom, type Random } from '../src/base/random';
import { halfBillionConfig } from '../src/model/device/half-billion';

const PIECE = 4 * 1024 * 1024;

/** 65,536 normal numbers of deviation 0.02 in bf16: two draws come out of every random word, fast enough for 494 M. */
function normalTable(random: Random): Uint16Array {
  return toBfloat16(Float32Array.from({ length: 65536 }, () => random.normal() * 0.02));
}

/** Norms are ones; all else is drawn from the table. */
function fill(values: Uint16Array, name: string, random: Random, table: Uint16Array): void {
  if (name.endsWith('norm.weight')) {
    values.fill(0x3f80);
    return;
  }
  for (let index = 0; index < values.length; index += 2) {
    const word = random.uint32();
    values[index] = table[word & 0xffff];
    if (index + 1 < values.length) values[index + 1] = table[word >>> 16];
  }
}

/** The file's first bytes: the header's length and the header, padded to a multiple of 8. */
function headerBytes(tensors: readonly ExpectedTensor[]): { header: Uint8Array; dataSize: number } {
  const entries: Record<string, unknown> = { __metadata__: { format: 'pt' } };
  let offset = 0;
  for (const { name, shape } of tensors) {
    const end = offset + shape.reduce((size, dimension) => size * dimension, 2);
    entries[name] = { dtype: 'BF16', shape, data_offsets: [offset, end] };
    offset = end;
  }
  const json = JSON.stringify(entries);
  const length = Math.ceil(json.length / 8) * 8;
  const header = new Uint8Array(8 + length).fill(0x20);
  new DataView(header.buffer).setBigUint64(0, BigInt(length), true);
  header.set(new TextEncoder().encode(json), 8);
  return { header, dataSize: offset };
}

async function write(stream: WriteStream, bytes: Uint8Array): Promise<void> {
  if (!stream.write(bytes)) await once(stream, 'drain');
}

async function makeCheckpoint(folder: string, layers: number, seed: number): Promise<void> {
  const json = halfBillionConfig(layers);
  const tensors = expectedTensors(parseModelConfig(json));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'config.json'), JSON.stringify(json, null, 2));
  const stream = createWriteStream(join(folder, 'model.safetensors'));
  const { header, dataSize } = headerBytes(tensors);
  await write(stream, header);
  const table = normalTable(createRandom(seed));
  for (const [position, { name, shape }] of tensors.entries()) {
    const random = createRandom(seed, 1, position);
    const size = shape.reduce((product, dimension) => product * dimension, 1);
    for (let done = 0; done < size; done += PIECE) {
      const values = new Uint16Array(Math.min(PIECE, size - done));
      fill(values, name, random, table);
      await write(stream, new Uint8Array(values.buffer));
    }
  }
  stream.end();
  await once(stream, 'close');
  console.log(
    `${join(folder, 'model.safetensors')}: ${tensors.length} tensors, ${dataSize} bytes of weights`,
  );
}

const [folder = '.cache/random-0.5b', layers = '24', seed = '1'] = process.argv.slice(2);
await makeCheckpoint(folder, Number(layers), Number(seed));
