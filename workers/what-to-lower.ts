/** What to lower where the GPU's memory was too small: it depends on when that showed. */
import { MarbleError, type ErrorReport } from '../src/error';

/** The report of a run with the next step that helps; of any other error as it is. */
export function withWhatToLower(error: ErrorReport, hasTakenSteps: boolean): ErrorReport {
  if (error.code !== 'gpu/out-of-memory') return error;
  const nextStep = hasTakenSteps
    ? 'Go on from the last checkpoint with other pages that use the GPU closed, or start again with fewer completions at once.'
    : 'Train fewer completions at once, or shorten them.';
  return { ...error, nextStep };
}

/** The same for an error thrown while a model is loaded. */
export function whileLoading(thrown: unknown): unknown {
  if (!(thrown instanceof MarbleError) || thrown.code !== 'gpu/out-of-memory') return thrown;
  return new MarbleError(
    'gpu/out-of-memory',
    thrown.message,
    'Choose a smaller model, or train an adapter of it, whose weights take half the room.',
    { cause: thrown },
  );
}
