/** Replaces the Web Locks of a browser, which Node 20 lacks. */
export interface Locks {
  request: (name: string, options: { mode?: string }, use: (lock: object | null) => unknown) => Promise<void>;
  query: () => Promise<{ held: { name: string; mode: string }[] }>;
}

/** Locks as a browser has them, new with every life: those of a killed tab are free. */
export function freshLocks(): Locks {
  const held = new Map<string, string>();
  const request: Locks['request'] = async (name, { mode = 'exclusive' }, use) => {
    if (held.has(name)) {
      await use(null);
      return;
    }
    held.set(name, mode);
    try {
      await use({});
    } finally {
      held.delete(name);
    }
  };
  const query = () => Promise.resolve({ held: [...held].map(([name, mode]) => ({ name, mode })) });
  return { request, query };
}
