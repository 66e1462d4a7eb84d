/** Replaces the page inside a frame, to prevent clickjacking. Offers to open Marble in a tab. */
export function Framed() {
  return (
    <main>
      <h1>We reward models for right answers. Do they keep reasoning?</h1>
      <p>Marble trains small language models in your browser. Inside another page it does not run.</p>
      <a href={location.href} target="_blank" rel="noopener">
        Open Marble in a tab of its own
      </a>
    </main>
  );
}
