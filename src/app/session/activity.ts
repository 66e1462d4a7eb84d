/** What the page is at; `watching` is another tab's training. */
export type Activity = 'idle' | 'starting' | 'running' | 'pausing' | 'paused' | 'stopping' | 'watching';
