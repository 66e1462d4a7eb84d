import type { Terminal } from '../../src/command/terminal';

/** A terminal that keeps its permanent lines. */
export const terminalTo = (said: string[] = []): Terminal => ({
  isLive: false,
  say: (line) => void said.push(line),
  show: () => undefined,
});

/** An agreement to downloads or code that keeps what was asked. */
export const answering = (yes: boolean, asked: string[] = []) => (what: string) => (asked.push(what), Promise.resolve(yes)); // prettier-ignore

/** The papers' model in many short steps, which are planned faster. */
export const manySteps =
  '#preset=small-llms&steps=5000&rollout.promptsPerStep=2&rollout.samplesPerPrompt=2&rollout.maxNewTokens=32' +
  '&evaluation.items=4&evaluation.taskItems=0&evaluation.hardItems=0';
