/** Takes one step of a run, supervised or on rewards. */
import type { Control } from './control';
import { reinforceStep } from './step';
import { lessonAt } from './supervised/lesson';
import { sftStep } from './supervised/sft';
import type { Run, StepOutcome } from './trainer-state';

export function takeStep(run: Run, step: number, control: Control): Promise<StepOutcome> {
  const lesson = lessonAt(step, run.config);
  return lesson === null ? reinforceStep(run, step, control) : sftStep(run, step, lesson, control);
}
