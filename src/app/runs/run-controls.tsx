/** Buttons that pause, resume and stop what trains. */
import type { Session } from '../session/session';

/**
 * @param props.canStep - offers a single step while the run is paused
 * @param props.onStop - stops more than what trains now
 */
export function RunControls(props: {
  session: Session;
  canStep?: boolean;
  stop?: string;
  onStop?: () => Promise<void>;
}) {
  const { session, canStep = false, stop = 'Stop', onStop = session.stop } = props;
  const activity = session.activity.value;
  const isPaused = activity === 'paused';
  return (
    <>
      {isPaused ? (
        <button class="primary" onClick={() => void session.goOn()}>
          Resume
        </button>
      ) : (
        <button disabled={activity !== 'running'} onClick={() => void session.pause()}>
          Pause
        </button>
      )}
      {isPaused && canStep ? <button onClick={() => void session.step()}>Step</button> : null}
      <button onClick={() => void onStop()}>{stop}</button>
    </>
  );
}
