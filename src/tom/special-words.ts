/** What the vocabularies of all built-in worlds begin with. */

/** Fills a batch up to one length; never part of a text. */
export const PAD_TOKEN = '<pad>';
/** Ends a completion; never part of a text. */
export const END_TOKEN = '<eos>';

/** Ordinary words of these vocabularies, not special tokens. */
export const TAGS = ['<think>', '</think>', '<answer>', '</answer>'] as const;
