/** The package's entry `marble-rl/runs`: reads, summarises and judges kept runs, without tensors or a GPU. */
export { MarbleError } from './base/error';
export { packRun as writeRun, unpackRun as importRun, type RunFile } from './share/run-file';
export { toCsv as metricsCsv } from './share/csv';
export { runJsonl } from './share/jsonl';
export { decodeLink, encodeLink, type DecodedLink } from './share/settings-link';
export { runName } from './share/name';
export { presets, defaultPreset } from './run/config/presets';
export { summarise, type RunSummary } from './run/record/summary';
export { compareArms, type ArmComparison } from './run/sweep/compare-arms';
export { expandSweep, type SweepAxes, type SweepRun } from './run/sweep/sweep';
export { verdictOf } from './run/verdict/verdict';
export { fromOutcomeTable } from './run/verdict/outcomes';
export type { RunConfig } from './run/config/config';
export type { EvalReport, Evaluation, Verdict } from './run/record/evaluation';
export type { Alert, Checkpoint, StepRecord } from './run/record/events';
export type { History, RunHistory } from './run/record/history';
export type { Rollout } from './run/record/rollout-record';
export type { RunRecord } from './run/record/run-record';
