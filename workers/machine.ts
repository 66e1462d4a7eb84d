/** On what a run was made, for its record: determinism is promised for the same machine, browser and build only. */

declare const MARBLE_BUILD: string;

export function machineOf(): Record<string, unknown> {
  return {
    browser: navigator.userAgent,
    cores: navigator.hardwareConcurrency,
    build: MARBLE_BUILD,
  };
}
