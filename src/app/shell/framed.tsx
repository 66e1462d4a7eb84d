/** Replaces the page inside a frame, to prevent clickjacking. Offers to open Marble in a tab. */
export function Framed() {
  return (
    <main>
      <section class="panel">
        <h1>We reward models for right answers. Do they keep reasoning?</h1>
        <p>
          Marble trains small language models in your browser and shows what becomes of their thinking. Inside
          another page it does not run.
        </p>
        <div class="actions">
          <button class="primary" onClick={() => globalThis.open(location.href, '_blank', 'noopener')}>
            Open Marble in a tab of its own
          </button>
        </div>
      </section>
    </main>
  );
}
