import type { EmbeddedModel } from '../../run/config';

/** Sizes of the models that ship with the page, counted from their files when the page is built (vite.config.ts). */

declare const MARBLE_MODELS: Readonly<Record<EmbeddedModel, number>>;

/** `25 thousand`. */
export function parameterWords(name: EmbeddedModel): string {
  return `${Math.round(MARBLE_MODELS[name] / 1000)} thousand`;
}
