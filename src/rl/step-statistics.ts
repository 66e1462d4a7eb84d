/** Accumulates the metrics of a step while its rollouts are processed in parts (`parts.ts`). */
import { mean } from '../base/statistics';
import type { TokenStatistics } from '../model/policy';
import type { LossReport } from '../objective/loss';
import type { UpdateFigures } from '../run/record/metrics';
import type { Sample } from '../run/record/sample';

/** Sums over the parts and updates of one step. */
export class StepStatistics {
  /** log p of each response under the policy at the start of the first update, by index in the batch. */
  readonly firstLogprobs: Float32Array[] = [];
  private readonly gradNorms: number[] = [];
  private readonly losses: number[] = [];
  /** Response tokens of all updates. */
  private tokens = 0;
  /** Number of these tokens in the loss. */
  private taking = 0;
  private kl: number | null = null;
  private clipped = 0;
  private entropy = 0;
  /** Tokens and sampler gap of the first update, which starts from the sampling policy. */
  private firstTokens = 0;
  private gap = 0;
  private largestGap = 0;

  constructor(private readonly samples: readonly Sample[]) {}

  beginUpdate(): void {
    this.losses.push(0);
  }

  add(members: readonly number[], { logprobs, entropies }: TokenStatistics, report: LossReport): void {
    const count = logprobs.reduce((sum, row) => sum + row.length, 0);
    this.losses[this.losses.length - 1] += report.loss;
    this.tokens += count;
    this.taking += report.tokens;
    if (report.kl !== null) this.kl = (this.kl ?? 0) + report.kl * report.tokens;
    this.clipped += report.clipFraction * report.tokens;
    this.entropy += entropies.reduce((sum, row) => sum + row.reduce((inner, value) => inner + value, 0), 0);
    if (this.losses.length > 1) return;
    members.forEach((index, row) => {
      this.firstLogprobs[index] = logprobs[row];
      this.samples[index].samplerLogprobs.forEach((value, token) => {
        const gap = Math.abs(value - logprobs[row][token]);
        this.gap += gap;
        this.largestGap = Math.max(this.largestGap, gap);
      });
    });
    this.firstTokens += count;
  }

  endUpdate(gradNorm: number): void {
    this.gradNorms.push(gradNorm);
  }

  lossIsFinite(): boolean {
    return Number.isFinite(this.losses.at(-1));
  }

  figures(): UpdateFigures {
    const perTakingToken = (sum: number): number | null =>
      this.taking === 0 ? null : sum * (1 / this.taking);
    return {
      loss: mean(this.losses),
      kl: this.kl === null ? null : perTakingToken(this.kl),
      entropy: this.entropy * (1 / Math.max(1, this.tokens)),
      clipFraction: perTakingToken(this.clipped),
      gradNorm: mean(this.gradNorms),
      samplerGap: { mean: this.gap / Math.max(1, this.firstTokens), max: this.largestGap },
    };
  }
}
