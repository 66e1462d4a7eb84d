/**
 * The error type of all folders of Marble. A worker sends an error to the page as plain data, since structured cloning
 * drops the class and its fields.
 */

/** Folder that throws the error, a slash and the fault: `share/bad-link`, `gpu/device-lost`. */
export type ErrorCode =
  `${'tom' | 'reward' | 'gpu' | 'ops' | 'model' | 'rl' | 'store' | 'share' | 'command' | 'app'}/${string}`;

/** An error as plain data, which a worker can post and the page shows. */
export interface ErrorReport {
  code: ErrorCode;
  /** Describes the fault in one sentence, with the offending value. */
  message: string;
  /** Names a remedy in one sentence. */
  nextStep: string;
}

/** Limit in characters on a text of an error, which may contain a name or a list of an untrusted file. */
const LONGEST_TEXT = 2000;

const bounded = (text: string): string =>
  text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text;

export class MarbleError extends Error {
  override readonly name = 'MarbleError';
  readonly code: ErrorCode;
  readonly nextStep: string;

  constructor(code: ErrorCode, message: string, nextStep: string, options?: { cause?: unknown }) {
    super(bounded(message), options);
    this.code = code;
    this.nextStep = bounded(nextStep);
  }
}

/** The error of a report, which crosses borders that a class does not. */
export const errorFrom = ({ code, message, nextStep }: ErrorReport): MarbleError =>
  new MarbleError(code, message, nextStep);

/** Prefixes an error with a file name, for parsers that receive only the bytes. Returns other errors unchanged. */
export function about(name: string, thrown: unknown): unknown {
  if (!(thrown instanceof MarbleError)) return thrown;
  return new MarbleError(thrown.code, `${name}: ${thrown.message}`, thrown.nextStep, { cause: thrown });
}

/** Error for a file of the page that is loaded on demand and that the server no longer has. */
export const missingPart = (): MarbleError =>
  new MarbleError(
    'app/part-missing',
    'A part of this page could not be fetched: a new version has replaced this one, or the network is down.',
    'Reload the page to get the new version. Stored runs are not affected.',
  );

/** Remedy for a run that needs too much memory: the settings with the least effect on the run come first. */
export const lessMemory =
  'Set optimizer.microBatch to fewer completions, or lower rollout.maxNewTokens, then rollout.samplesPerPrompt, then the questions of a test (evaluation.items, finalItems, hardItems, taskItems, importedItems); otherwise train with LoRA (training.mode), or choose a smaller model.';

/**
 * Converts any thrown value to plain data. Values other than a `MarbleError` become `app/unexpected`, a fault in Marble,
 * unless the browser's message shows a failed import or a full memory.
 */
export function toErrorReport(thrown: unknown): ErrorReport {
  if (thrown instanceof MarbleError) {
    return { code: thrown.code, message: thrown.message, nextStep: thrown.nextStep };
  }
  // Messages of Chromium, Firefox and Safari for a dynamic import that failed to load, and of Vite for its styles.
  if (/dynamically imported module|Importing a module script failed|preload CSS/.test(String(thrown))) {
    return toErrorReport(missingPart());
  }
  // Messages of V8, Firefox and Safari for an array that does not fit into the system's memory.
  if (/array buffer allocation failed|allocation size overflow|out of memory/i.test(String(thrown))) {
    return {
      code: 'gpu/out-of-memory',
      message: `The system has no memory left for this run: ${String(thrown)}`,
      nextStep: lessMemory,
    };
  }
  return {
    code: 'app/unexpected',
    message: thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown),
    nextStep: 'This is a fault in Marble. Reload the page; if it happens again, report it with this text.',
  };
}
