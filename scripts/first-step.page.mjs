/**
 * In the page that `first-step.ts` serves: presses the button as soon as it can be pressed, and notes what the page says until
 * the first step is done. The backend stands in the address: `?backend=wasm`.
 */
const backend = new URLSearchParams(location.search).get('backend');
const post = (path, body) => fetch(path, { method: 'POST', body });
const labelled = (text) =>
  [...document.querySelectorAll('label')].find((label) => label.textContent.includes(text));
const button = () =>
  [...document.querySelectorAll('button')].find(({ textContent }) =>
    textContent.includes('Run it on this computer'),
  );

const waited = setInterval(() => {
  const choice = labelled('Runs on')?.querySelector('select');
  if (!choice || !button() || button().disabled) return;
  clearInterval(waited);
  choice.value = backend;
  choice.dispatchEvent(new Event('change', { bubbles: true }));
  setTimeout(press, 500); // the page takes the choice over
}, 50);

function press() {
  const begun = performance.now();
  button().click();
  const stages = [];
  const watched = setInterval(() => {
    const seconds = (performance.now() - begun) / 1000;
    const alert = document.querySelector('[role=alert]');
    const said = document.querySelector('.run-status')?.textContent ?? '';
    const stage = said.replace(/[\d.]+/g, '#').trim();
    if (stage !== stages.at(-1)?.stage) stages.push({ stage, said, at: seconds });
    if (alert) finish(post('error', alert.textContent));
    else if ((document.querySelector('.run-panel progress')?.value ?? 0) >= 1)
      finish(post('result', JSON.stringify({ seconds, stages })));
  }, 20);
  const finish = () => clearInterval(watched);
}
