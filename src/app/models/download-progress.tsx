/** How far a download is: bytes, rate, time to go. */
import type { DownloadProgress } from '../../store/weights/weight-cache';
import { roughly } from '../ui/numbers';
import { sizeWords } from '../words/sizes';

function fileName(address: string): string {
  return decodeURIComponent(address.slice(address.lastIndexOf('/') + 1));
}

export function DownloadStatus({ progress }: { progress: DownloadProgress }) {
  const { address, received, size, rate, secondsLeft } = progress;
  return (
    <>
      <p>
        Fetching {fileName(address)}: {sizeWords(received)} of {sizeWords(size)}
        {rate === null ? '' : `, ${sizeWords(rate)} per second`}
        {secondsLeft === null ? '' : `, about ${roughly(secondsLeft)} to go`}
      </p>
      <progress max={size} value={received} aria-label="Download" />
      <p class="explain">
        If you stop now, what has come is kept, and the next start goes on from there; so does a page that is
        reloaded.
      </p>
    </>
  );
}
