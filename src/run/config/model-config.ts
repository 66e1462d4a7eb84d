/** Schemas of the trained model and of which weights of it are trained. */
import * as v from 'valibot';
import { integer, real, text, told } from './field-schemas';
import { adapterPattern } from './saved-adapter';

/** Models that ship with the page, in `public/models`. */
export const embeddedModels = [
  'ladder-12k',
  'ladder-25k',
  'ladder-100k',
  'ladder-398k',
  'hitom-mini',
] as const;

export type EmbeddedModel = (typeof embeddedModels)[number];

export const isEmbedded = (name: string): name is EmbeddedModel =>
  (embeddedModels as readonly string[]).includes(name);

export const model = v.variant(
  'kind',
  [
    // Stored runs may name a model of an earlier version. `check-config.ts` checks that the model exists.
    v.strictObject({
      kind: v.literal('embedded'),
      name: text(/^[\w.-]{1,64}$/, `one of ${embeddedModels.join(', ')}`),
    }),
    v.strictObject({
      kind: v.literal('hub'),
      repository: text(
        /^[A-Za-z0-9][\w.-]{0,95}\/[A-Za-z0-9][\w.-]{0,95}(:[\w-][\w.-]{0,95}\.gguf)?$/,
        'a repository of the form owner/name, or owner/name:file.gguf',
      ),
      revision: text(/^[0-9a-f]{40}$/, 'a commit of 40 hexadecimal digits'),
    }),
    // Local files of the visitor, by the name of the folder or the weights. The page asks for them again.
    v.strictObject({
      kind: v.literal('files'),
      name: text(/^[\w.-]{1,96}$/, 'a name of letters, digits, dots and dashes, at most 96'),
    }),
  ],
  'one of embedded, hub, files',
);

export type ModelChoice = v.InferOutput<typeof model>;

export const training = v.variant(
  'mode',
  [
    v.strictObject({ mode: v.literal('full') }),
    v.strictObject({
      mode: v.literal('lora'),
      rank: integer(1, 256),
      alpha: real(0.01, 1024),
      /** Saved adapter to start from (`saved-adapter.ts`). Absent for a fresh adapter. */
      adapter: v.optional(
        v.pipe(
          text(adapterPattern, 'hub:owner/name@commit, or files: or ships: and a name'),
          told<string>({ label: 'Adapter', empty: 'a fresh one' }),
        ),
      ),
    }),
  ],
  'one of full, lora',
);
