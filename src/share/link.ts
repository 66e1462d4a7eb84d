/**
 * A run as the text behind the # of the page's address: what it started from (the preset), its seed, and every field that
 * differs from the preset. Where one of the data does, all of the data stand there.
 *
 *     #v=1&preset=ladder-25k&seed=3&optimizer.learningRate=0.001
 *
 * Readable, because a student should see what a link will do. Where many fields differ the same text is deflated into
 * `#z=…`. Beside the run may stand the axes of a sweep and what a teacher hides (`link-extras.ts`). The link never holds data, rewards or code, and opening one starts nothing.
 */
import { MarbleError } from '../base/error';
import { checkKeys } from '../base/known-keys';
import { readWithin } from '../base/read-within';
import type { RunConfig } from '../run/config/config';
import { presetOf, presets } from '../run/config/presets';
import { extraFields, extrasFrom, isExtra, type LinkExtras } from './link-extras';
import { deciding, differences, fieldsOf, recordFrom, type Fields } from './fields';
import { checkRunConfig, configFields, asWritten } from '../run/config/check-config';

/** What a link held: a checked configuration, what stands beside it, and the names that this version does not know. */
export interface DecodedLink extends LinkExtras {
  config: RunConfig;
  ignored: string[];
}

const version = 1;
const readableLimit = 700;
const encodedLimit = 8 * 1024;
const inflatedLimit = 64 * 1024;
const ignoredLimit = 20;
/** The fields of the data that no configuration is without. */
const statedData = ['data.source', 'data.orders', 'data.dropShortcutRight', 'data.reentry'];
const isOfData = (path: string): boolean => path.startsWith('data.');
/** Has no value for none: where the preset has one, a link without it has an empty text. */
const ADAPTER = 'training.adapter';

const freshStart = 'Open the page without the link to start from a preset, or ask for the link again.';

function badLink(message: string, cause?: unknown): MarbleError {
  return new MarbleError('share/bad-link', message, freshStart, { cause });
}

function streamOf(bytes: Uint8Array<ArrayBuffer>, through: CompressionStream | DecompressionStream) {
  return new Blob([bytes]).stream().pipeThrough(through);
}

/** In base64url. */
export async function deflated(text: string): Promise<string> {
  const stream = streamOf(new TextEncoder().encode(text), new CompressionStream('deflate-raw'));
  return btoa(String.fromCharCode(...new Uint8Array(await new Response(stream).arrayBuffer())))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

/** @throws DOMException where it is not base64url */
function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

/** @throws MarbleError `share/bad-link` where it is damaged or more than 64 kB come out */
export async function inflated(text: string): Promise<string> {
  try {
    const bytes = bytesOf(text);
    const plain = await readWithin(inflatedLimit, streamOf(bytes, new DecompressionStream('deflate-raw')));
    if (plain === null) throw badLink(`The link inflates to more than ${inflatedLimit / 1024} kB.`);
    return new TextDecoder('utf-8', { fatal: true }).decode(plain);
  } catch (error) {
    throw error instanceof MarbleError
      ? error
      : badLink('The link is damaged: its packed part does not unpack.', error);
  }
}

/** What is given to the stream at once: of a piece that it fails at nothing comes out. */
const pieceBytes = 16;
const partLimit = 4096;

/** @returns the beginning of a damaged text as far as it unpacks, at most about 4 kB; empty for none */
export async function inflatedPart(text: string): Promise<string> {
  const { readable, writable } = new DecompressionStream('deflate-raw');
  const [reader, writer] = [readable.getReader(), writable.getWriter()];
  const decoder = new TextDecoder();
  let part = '';
  // An error takes what has not been read yet with it, hence both at once.
  const read = async (): Promise<void> => {
    for (let got = await reader.read(); !got.done; got = await reader.read()) {
      part += decoder.decode(got.value, { stream: true });
      if (part.length > partLimit) return reader.cancel();
    }
  };
  const write = async (): Promise<void> => {
    // Its last letter may stand alone, which is no byte.
    const bytes = bytesOf(text.length % 4 === 1 ? text.slice(0, -1) : text);
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      await writer.write(bytes.slice(at, at + pieceBytes));
    }
    await writer.close();
  };
  const reading = read();
  await write().catch((thrown: unknown) => writer.abort(thrown).catch(() => undefined));
  await reading.catch(() => undefined);
  return part;
}

function queryText(fields: Fields): string {
  return [...fields]
    .map(
      ([name, value]) => `${name}=${encodeURIComponent(value).replace(/%(2F|3A|2C)/g, decodeURIComponent)}`,
    )
    .join('&');
}

function readQuery(text: string): Fields {
  const fields: Fields = new Map();
  for (const pair of text.split('&').filter((part) => part !== '')) {
    const cut = pair.indexOf('=');
    try {
      const name = decodeURIComponent(cut < 0 ? pair : pair.slice(0, cut));
      if (fields.has(name)) throw badLink(`The link names ${asWritten(name)} twice.`);
      fields.set(name, cut < 0 ? '' : decodeURIComponent(pair.slice(cut + 1)));
    } catch (error) {
      throw error instanceof MarbleError
        ? error
        : badLink(`The link is damaged at ${asWritten(pair)}.`, error);
    }
  }
  return fields;
}

function presetNamed(name: string): RunConfig {
  const preset = presetOf({ preset: name });
  if (preset !== null) return preset;
  throw new MarbleError(
    'share/unknown-preset',
    `There is no preset named ${asWritten(name)}. Known are ${Object.keys(presets).join(', ')}.`,
    freshStart,
  );
}

const EXTRA_NAMES = {
  ...{ backend: true, sweep: true, hide: true, fingerprint: true, seats: true },
} as const;

/**
 * @param config - under the first preset where its own is none
 * @param extras - a sweep around it, and what the page is to hide
 * @returns the hash, `#` included, under 1 kB unless the model's address alone is longer
 * @throws MarbleError `share/out-of-range`
 */
export async function encodeLink(config: RunConfig, extras: Partial<LinkExtras> = {}): Promise<string> {
  checkKeys('encodeLink', extras, EXTRA_NAMES);
  // A run of another program, or of another version, has a preset that nobody knows: all its settings stand in its link.
  const preset = (presetOf(config) ?? Object.values(presets)[0]).preset;
  const checked = checkRunConfig({ ...config, preset });
  const base = presets[preset];
  const changed = differences(checked, base);
  const statesData = [...changed.keys(), ...differences(base, checked).keys()].some(isOfData);
  const fields: Fields = new Map([['v', String(version)]]);
  for (const [path, value] of fieldsOf(checked)) {
    const always = path === 'preset' || path === 'seed' || (statesData && isOfData(path));
    if (always || changed.has(path)) fields.set(path, value);
  }
  const isFresh = checked.training.mode === 'lora' && checked.training.adapter === undefined;
  if (isFresh && fieldsOf(base).has(ADAPTER)) fields.set(ADAPTER, '');
  for (const [name, value] of extraFields(extras)) fields.set(name, value);
  const readable = queryText(fields);
  return `#${readable.length <= readableLimit ? readable : `z=${await deflated(readable)}`}`;
}

/**
 * @param text - the hash with or without its `#`, or a whole address that ends in one
 * @returns the configuration, every field checked, and the names in the link that this version does not know (the first 20)
 * @throws MarbleError `share/bad-link` (damaged, too long), `share/newer-link`, `share/unknown-preset`, `share/out-of-range`
 */
export async function decodeLink(text: string): Promise<DecodedLink> {
  const hash = text.slice(text.indexOf('#') + 1);
  if (hash.length > encodedLimit) {
    throw badLink(`The link is ${hash.length} characters long; at most ${encodedLimit} are read.`);
  }
  const fields = readQuery(hash.startsWith('z=') ? await inflated(hash.slice(2)) : hash);
  const written = fields.get('v') ?? String(version);
  if (!/^[1-9]\d{0,5}$/.test(written)) throw badLink(`The link's version is ${asWritten(written)}.`);
  if (Number(written) > version) {
    throw new MarbleError(
      'share/newer-link',
      `The link is of version ${written}; this page reads version ${version}.`,
      'Open it with the newest version of Marble, which the page has when it is loaded anew.',
    );
  }
  const preset = fields.get('preset');
  if (preset === undefined) throw badLink('The link names no preset.');

  const merged = fieldsOf(presetNamed(preset));
  for (const [field, group] of Object.entries(deciding)) {
    if ((fields.get(field) ?? merged.get(field)) === merged.get(field)) continue;
    for (const path of [...merged.keys()].filter((name) => name.startsWith(group))) merged.delete(path);
  }
  // A link that states the data states all of it: what it leaves out was left out, whatever the preset now has.
  if (statedData.every((path) => fields.has(path))) {
    for (const path of [...merged.keys()].filter(isOfData)) merged.delete(path);
  }
  const ignored: string[] = [];
  for (const [name, value] of fields) {
    if (configFields.has(name)) merged.set(name, value);
    else if (name !== 'v' && !isExtra(name) && ignored.length < ignoredLimit) ignored.push(asWritten(name));
  }
  if (merged.get(ADAPTER) === '') merged.delete(ADAPTER);
  return { config: checkRunConfig(recordFrom(merged)), ...extrasFrom(fields), ignored };
}
