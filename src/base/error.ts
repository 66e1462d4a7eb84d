/**
 * The one error type of Marble. It stands below all rooms, so that every room can throw it and the worker can
 * carry it to the page as plain data (a class name does not survive the border, see house.md in the design).
 */

/** The room that refused, a slash, and what it refused: `share/bad-link`, `gpu/device-lost`. */
export type ErrorCode =
  `${'tom' | 'reward' | 'gpu' | 'ops' | 'model' | 'rl' | 'store' | 'share' | 'export' | 'command' | 'app'}/${string}`;

/** What crosses the worker border and what the page shows. */
export interface ErrorReport {
  code: ErrorCode;
  /** What happened, in one sentence, with the offending value. */
  message: string;
  /** What the reader can do about it, in one sentence. */
  nextStep: string;
}

export class MarbleError extends Error {
  override readonly name = 'MarbleError';
  readonly code: ErrorCode;
  readonly nextStep: string;

  constructor(code: ErrorCode, message: string, nextStep: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
    this.nextStep = nextStep;
  }
}

/** The error with the file's name in front, for readers of bytes that do not know it. */
export function about(name: string, thrown: unknown): unknown {
  if (!(thrown instanceof MarbleError)) return thrown;
  return new MarbleError(thrown.code, `${name}: ${thrown.message}`, thrown.nextStep, { cause: thrown });
}

/** Any thrown thing as plain data; what is no `MarbleError` is a fault of ours and says so. */
export function toErrorReport(thrown: unknown): ErrorReport {
  if (thrown instanceof MarbleError) {
    return { code: thrown.code, message: thrown.message, nextStep: thrown.nextStep };
  }
  // The words of Chromium, Firefox and Safari for a part of the page that did not come.
  if (/dynamically imported module|Importing a module script failed/.test(String(thrown))) {
    return {
      code: 'app/part-missing',
      message: 'A part of this page could not be fetched: the network is away, or the page has been renewed.',
      nextStep: 'Connect and reload the page. Runs that are kept here stay.',
    };
  }
  // Of V8, Firefox and Safari, where the system has no room for an array.
  if (/array buffer allocation failed|allocation size overflow|out of memory/i.test(String(thrown))) {
    return {
      code: 'gpu/out-of-memory',
      message: `The system has no memory left for this run: ${String(thrown)}`,
      nextStep: 'Choose a smaller model, fewer samples at once or shorter completions.',
    };
  }
  return {
    code: 'app/unexpected',
    message: thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown),
    nextStep: 'This is a fault in Marble. Reload the page; if it comes again, report it with this text.',
  };
}
