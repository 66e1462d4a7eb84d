/** Hands a file to the visitor. */
export function saveFile(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const anchor = document.createElement('a');
  anchor.href = address;
  anchor.download = name;
  anchor.click();
  // The browser has taken the address up by then; at once would be too early for some.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
