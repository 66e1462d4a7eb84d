/** docs/errors.md as a page beside the app, which error screens link to. */

/** @param markdown - as `error-catalogue.ts` writes it */
export function errorsHtml(markdown: string): string {
  const rows = Array.from(
    markdown.matchAll(/^\| `([^`]+)` \| (.*) \|$/gm),
    ([, code, rest]) => [code, rest.split(/(?<!\\) \| /)] as const,
  );
  const cell = (text: string): string => `<td>${text.replaceAll('\\|', '|')}</td>`;
  const lines = rows.map(
    ([code, [message, nextStep]]) =>
      `<tr id="${code}"><td><code>${code}</code></td>${cell(message)}${cell(nextStep)}</tr>`,
  );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Marble: what can go wrong</title>
<h1>What can go wrong</h1>
<p>“…” stands for what is only known when it happens.</p>
<table>
<tr><th>Code</th><th>What happened</th><th>What to do</th></tr>
${lines.join('\n')}
</table>
</html>
`;
}
