/**
 * A run as the fragment of the page's URL: its preset, its seed, and every field that differs from the preset. An optional
 * field of the preset that the run lacks has an empty text. If one field of the data differs, the link contains all fields of
 * the data.
 *
 *     #v=1&preset=ladder-25k&seed=3&optimizer.learningRate=0.001
 *
 * The text is readable, so that students see the effect of a link. A long text is deflated to `#z=…`. The link can also contain
 * the axes of a sweep, the seats of a class and the lesson switch (`link-extras.ts`). It never contains data, rewards or code, and opening
 * it does not start a run.
 */
import { MarbleError } from '../base/error';
import { checkKeys } from '../base/known-keys';
import { readWithin } from '../base/read-within';
import type { RunConfig } from '../run/config/config';
import { presetOf, presets } from '../run/config/presets';
import { linkAddressesToFiles } from '../run/config/deleted-fields';
import { extraFields, extrasFrom, isExtra, type LinkExtras } from './link-extras';
import { readLadder } from './ladder-seed';
import { deciding, differences, fieldsOf, recordFrom, type Fields } from '../run/config/fields';
import {
  asWritten,
  checkRunConfig,
  configFields,
  omittableFields,
  requireKnownSource,
} from '../run/config/check-config';

/** Content of a link: a checked configuration and the extras. */
export interface DecodedLink extends LinkExtras {
  config: RunConfig;
  /** Unknown field names, at most 20. */
  ignored: string[];
}

const version = 1;
const readableLimit = 700;
const encodedLimit = 8 * 1024;
const inflatedLimit = 64 * 1024;
const ignoredLimit = 20;
/** Fields of the data that every configuration has. */
const requiredData = ['data.source', 'data.orders', 'data.dropShortcutRight', 'data.reentry'];
const isOfData = (path: string): boolean => path.startsWith('data.');

const freshStart = 'Open the page without the link to start from a preset, or ask for the link again.';

function badLink(message: string, cause?: unknown): MarbleError {
  return new MarbleError('share/bad-link', message, freshStart, { cause });
}

function streamOf(bytes: Uint8Array<ArrayBuffer>, through: CompressionStream | DecompressionStream) {
  return new Blob([bytes]).stream().pipeThrough(through);
}

/** Deflates a text and encodes it as base64url. */
export async function deflated(text: string): Promise<string> {
  const stream = streamOf(new TextEncoder().encode(text), new CompressionStream('deflate-raw'));
  return btoa(String.fromCharCode(...new Uint8Array(await new Response(stream).arrayBuffer())))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

/** @throws DOMException if the text is not base64url */
function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

/** @throws MarbleError `share/bad-link` if the text is damaged or inflates to more than 64 kB */
export async function inflated(text: string): Promise<string> {
  try {
    const bytes = bytesOf(text);
    const plain = await readWithin(inflatedLimit, streamOf(bytes, new DecompressionStream('deflate-raw')));
    if (plain === null) throw badLink(`The link inflates to more than ${inflatedLimit / 1024} kB.`);
    return new TextDecoder('utf-8', { fatal: true }).decode(plain);
  } catch (error) {
    throw error instanceof MarbleError
      ? error
      : badLink('The link is damaged: its compressed part cannot be decompressed.', error);
  }
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
      if (fields.has(name)) throw badLink(`The link contains ${asWritten(name)} twice.`);
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
    `There is no preset named ${asWritten(name)}. The presets are ${Object.keys(presets).join(', ')}.`,
    freshStart,
  );
}

const EXTRA_NAMES = { backend: true, sweep: true, lesson: true, fingerprint: true, seats: true } as const;

/**
 * Encodes a configuration as the fragment of a link.
 *
 * @param config the run; if its preset is unknown, the link uses the first preset
 * @param extras sweep, lesson and other extras
 * @returns the fragment including `#`, under 1 kB without long prompts
 * @throws MarbleError `share/out-of-range`
 */
export async function encodeLink(config: RunConfig, extras: Partial<LinkExtras> = {}): Promise<string> {
  checkKeys('encodeLink', extras, EXTRA_NAMES);
  // A run of another program or version may have an unknown preset.
  const preset = (presetOf(config) ?? Object.values(presets)[0]).preset;
  const checked = checkRunConfig({ ...config, preset });
  const base = presets[preset];
  const changed = differences(checked, base);
  const statesData = [...changed.keys()].some(isOfData);
  const fields: Fields = new Map([['v', String(version)]]);
  for (const [path, value] of fieldsOf(checked)) {
    const always = path === 'preset' || path === 'seed' || (statesData && isOfData(path));
    if (always || changed.has(path)) fields.set(path, value);
  }
  const isRemoved = (path: string): boolean => changed.get(path) === '' && !isOfData(path);
  for (const path of omittableFields) if (isRemoved(path)) fields.set(path, '');
  for (const [name, value] of extraFields(extras)) fields.set(name, value);
  const readable = queryText(fields);
  return `#${readable.length <= readableLimit ? readable : `z=${await deflated(readable)}`}`;
}

/**
 * Decodes the fragment of a link. The inverse of `encodeLink`.
 *
 * @param text the fragment with or without `#`, or a URL with a fragment
 * @returns the checked configuration, the extras and the unknown names (the first 20)
 * @throws MarbleError `share/bad-link` (damaged, too long), `share/newer-link`, `share/unknown-preset`, `share/out-of-range`
 */
export async function decodeLink(text: string): Promise<DecodedLink> {
  const hash = text.slice(text.indexOf('#') + 1);
  if (hash.length > encodedLimit) {
    throw badLink(`The link is ${hash.length} characters long; the limit is ${encodedLimit}.`);
  }
  const fields = readQuery(hash.startsWith('z=') ? await inflated(hash.slice(2)) : hash);
  const linkVersion = fields.get('v') ?? String(version);
  if (!/^[1-9]\d{0,5}$/.test(linkVersion)) throw badLink(`The link's version is ${asWritten(linkVersion)}.`);
  if (Number(linkVersion) > version) {
    throw new MarbleError(
      'share/newer-link',
      `The link has version ${linkVersion}; this page reads version ${version}.`,
      'Reload the page to get the newest version of Marble, then open the link again.',
    );
  }
  const preset = fields.get('preset');
  const ladder = fields.get('ladder');
  if (preset === undefined)
    throw ladder === undefined ? badLink('The link has no preset.') : badLadder(ladder);

  const merged = fieldsOf(presetNamed(preset));
  for (const [field, group] of Object.entries(deciding)) {
    if ((fields.get(field) ?? merged.get(field)) === merged.get(field)) continue;
    for (const path of [...merged.keys()].filter((name) => name.startsWith(group))) merged.delete(path);
  }
  // A link with the required fields of the data contains all of them; fields of the preset's data that it lacks are removed.
  if (requiredData.every((path) => fields.has(path))) {
    for (const path of [...merged.keys()].filter(isOfData)) merged.delete(path);
  }
  const ignored: string[] = [];
  // tfjs's own backend of earlier versions
  if (fields.get('backend') === 'cpu') {
    fields.delete('backend');
    ignored.push('backend=cpu');
  }
  ignored.push(...linkAddressesToFiles(fields));
  for (const [name, value] of fields) {
    if (configFields.has(name)) merged.set(name, value);
    else if (name !== 'v' && !isExtra(name) && ignored.length < ignoredLimit) ignored.push(asWritten(name));
  }
  for (const path of omittableFields) if (merged.get(path) === '') merged.delete(path);
  const config = checkRunConfig(recordFrom(merged));
  requireKnownSource(config);
  return { config, ...extrasFrom(fields), ignored };
}

/** Error for the address of the first screen, which names a seed and no run. */
const badLadder = (seed: string): MarbleError =>
  readLadder(`#ladder=${seed}`) === null
    ? badLink(`ladder is ${asWritten(seed)}; it must be a whole number from 0 to 999999.`)
    : badLink(`The link shows the first screen with seed ${seed}; it names no run.`);
