import { describe, expect, it, vi } from 'vitest';
import { openDroppedRuns } from '../../../src/app/page/dropped-runs';

describe('files dropped on the page', () => {
  const dropped = (names: string[]): Event => {
    const files = names.map((name) => new File(['marble-run'], name));
    return Object.assign(new Event('drop', { cancelable: true }), {
      dataTransfer: { files, types: ['Files'] },
    });
  };

  it('is opened where it is one, and read as those of a class where they are several', () => {
    const page = new EventTarget();
    const opened: string[] = [];
    openDroppedRuns(page, {
      one: ({ name }) => opened.push(name),
      several: (files) => opened.push(files.map(({ name }) => name).join(' and ')),
    });
    const event = dropped(['a.marble', 'notes.txt', 'b.marble']);
    page.dispatchEvent(event);
    expect(event.defaultPrevented).toBe(true);
    page.dispatchEvent(dropped(['notes.txt', 'c.marble']));
    page.dispatchEvent(dropped(['notes.txt']));
    expect(opened).toEqual(['a.marble and b.marble', 'c.marble']);
  });

  it('is left to the part of the page that has taken it', () => {
    const page = new EventTarget();
    page.addEventListener('drop', (event) => event.preventDefault());
    const one = vi.fn();
    openDroppedRuns(page, { one, several: one });
    page.dispatchEvent(dropped(['a.marble']));
    expect(one).not.toHaveBeenCalled();
  });
});
