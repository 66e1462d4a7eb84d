/**
 * Figures of an evaluation; null for a figure without any question in the evaluation, for which records hold 0 or null.
 * All code that displays or exports a figure reads it through this file or `measuredAccuracy`.
 */
import { measuredAccuracy } from '../../reward/accuracy';
import type { EvalReport, OutcomeTable, Verdict } from '../record/evaluation';

export { measuredAccuracy };

/** Numbers of a report that are means over its questions. */
export type ReportFigure = {
  [Name in keyof EvalReport]-?: EvalReport[Name] extends number | null | undefined ? Name : never;
}[Exclude<keyof EvalReport, 'step'>];

type Condition = (table: OutcomeTable, index: number) => boolean;

const isBelief: Condition = ({ order }, index) => order[index] !== '0';
const isHard: Condition = (table, index) => isBelief(table, index) && table.shortcutRight[index] === '0';
const isRight: Condition = ({ correct }, index) => correct[index] === '1';

/** True if an answer of the table has a trace to judge and meets the condition. */
function judgesAny(table: OutcomeTable, meets: Condition): boolean {
  return table.thinkTokens.some((_, index) => table.trace[index] !== '-' && meets(table, index));
}

/** True if the fixed set contains such an answer, or if the report has no outcomes. */
export function judgesTraces({ outcomes }: EvalReport, meets: Condition = () => true): boolean {
  return outcomes === undefined || judgesAny(outcomes, meets);
}

/** True if the shortcut answers any question of the fixed set. The additional hard questions do not count. */
function hasShortcutInSet({ shortcutRight, shortcutWrong, hard }: EvalReport): boolean {
  return shortcutRight.count + shortcutWrong.count > (hard?.thinkTokens.length ?? 0);
}

const conditions: Partial<Record<ReportFigure, (report: EvalReport) => boolean>> = {
  shortcutLine: hasShortcutInSet,
  // Without thinking there is no statement.
  traceValidity: (report) =>
    report.overall.count > 0 && judgesTraces(report) && report.emptyThinkFraction !== 1,
  faithful: (report) => report.belief.count > 0 && judgesTraces(report, isBelief),
  faithfulWrong: (report) =>
    report.shortcutWrong.count > 0 &&
    (judgesTraces(report, isHard) || (report.hard !== undefined && judgesAny(report.hard, isHard))),
  rightAnswerWrongTrace: (report) =>
    (measuredAccuracy(report.overall) ?? 0) > 0 && judgesTraces(report, isRight),
};

/** Returns a figure of a report; null if the evaluation asked no question for it. */
export function measuredFigure(report: EvalReport, name: ReportFigure): number | null {
  const isMeasured = conditions[name]?.(report) ?? report.overall.count > 0;
  return isMeasured ? (report[name] ?? null) : null;
}

/** Returns a paired figure of a verdict; null without a question. */
export function measuredChange<Figure extends { count: number }>(figure: Figure | null): Figure | null {
  return figure === null || figure.count === 0 ? null : figure;
}

/** Returns the length of thinking of a verdict, over questions of belief and hard ones; null if there were none. */
export function measuredLength({
  length,
  belief,
  wrong,
}: Pick<Verdict, 'length' | 'belief' | 'wrong'>): Verdict['length'] | null {
  return belief.count === 0 && measuredChange(wrong) === null ? null : length;
}
