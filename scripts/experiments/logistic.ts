/**
 * Logistic regression with a ridge: minimises the summed log loss plus ridge / 2 times the squared weights, the intercept
 * free, by Newton's method. Inputs are standardised here, so a weight is per standard deviation.
 */
export interface LogisticFit {
  intercept: number;
  weights: number[];
  /** Of each input, in the data of the fit. */
  means: number[];
  deviations: number[];
}

const STEPS = 100;
const TOLERANCE = 1e-10;

/**
 * Where all outcomes are the same, the optimum lies at infinity; then the intercept is the log odds of the count with half
 * an outcome of each kind added, and the weights are 0.
 *
 * @param inputs one row for each outcome
 */
export function fitLogistic(
  inputs: readonly (readonly number[])[],
  outcomes: readonly boolean[],
  ridge: number,
): LogisticFit {
  const width = inputs[0]?.length ?? 0;
  const columns = Array.from({ length: width }, (_, column) => inputs.map((row) => row[column]));
  const means = columns.map(mean);
  const deviations = columns.map(
    (column, index) => Math.sqrt(mean(column.map((value) => (value - means[index]) ** 2))) || 1,
  );
  const positive = outcomes.filter(Boolean).length;
  if (positive === 0 || positive === outcomes.length) {
    const intercept = Math.log((positive + 0.5) / (outcomes.length - positive + 0.5));
    return { intercept, weights: means.map(() => 0), means, deviations };
  }
  const rows = inputs.map((row) => [1, ...standardised(row, means, deviations)]);
  let parameters = new Array<number>(width + 1).fill(0);
  for (let step = 0; step < STEPS; step++) {
    const { gradient, hessian } = slopes(rows, outcomes, parameters, ridge);
    const change = solve(hessian, gradient);
    const before = ridgeLoss(rows, outcomes, parameters, ridge);
    let length = 1;
    let next = moved(parameters, change, length);
    while (ridgeLoss(rows, outcomes, next, ridge) > before && length > TOLERANCE) {
      length /= 2;
      next = moved(parameters, change, length);
    }
    parameters = next;
    if (Math.max(...change.map(Math.abs)) < TOLERANCE) break;
  }
  const [intercept, ...weights] = parameters;
  return { intercept, weights, means, deviations };
}

/** Probability of the outcome for one row of inputs. */
export function predict(
  { intercept, weights, means, deviations }: LogisticFit,
  row: readonly number[],
): number {
  return sigmoid(dot([1, ...standardised(row, means, deviations)], [intercept, ...weights]));
}

/** In nats. */
export function logLoss(probability: number, outcome: boolean): number {
  const ofOutcome = outcome ? probability : 1 - probability;
  return -Math.log(Math.max(ofOutcome, 1e-12));
}

export function sigmoid(value: number): number {
  return 1 / (1 + Math.exp(-value));
}

function standardised(
  row: readonly number[],
  means: readonly number[],
  deviations: readonly number[],
): number[] {
  return row.map((value, index) => (value - means[index]) / deviations[index]);
}

/** Summed log loss and the ridge; the first parameter is the intercept. */
function ridgeLoss(
  rows: readonly (readonly number[])[],
  outcomes: readonly boolean[],
  parameters: readonly number[],
  ridge: number,
): number {
  const loss = rows.reduce((sum, row, index) => {
    const margin = dot(row, parameters) * (outcomes[index] ? 1 : -1);
    return sum + (margin > 0 ? Math.log1p(Math.exp(-margin)) : Math.log1p(Math.exp(margin)) - margin);
  }, 0);
  return loss + (ridge / 2) * parameters.slice(1).reduce((sum, weight) => sum + weight * weight, 0);
}

function slopes(
  rows: readonly (readonly number[])[],
  outcomes: readonly boolean[],
  parameters: readonly number[],
  ridge: number,
): { gradient: number[]; hessian: number[][] } {
  const gradient = parameters.map((value, index) => (index === 0 ? 0 : ridge * value));
  const hessian = parameters.map((_, a) => parameters.map((__, b) => (a === b && a > 0 ? ridge : 0)));
  rows.forEach((row, index) => {
    const probability = sigmoid(dot(row, parameters));
    const curvature = Math.max(probability * (1 - probability), 1e-12);
    row.forEach((value, a) => {
      gradient[a] += value * (probability - Number(outcomes[index]));
      row.forEach((other, b) => (hessian[a][b] += curvature * value * other));
    });
  });
  return { gradient, hessian };
}

/** Gaussian elimination with pivots. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const rows = matrix.map((row, index) => [...row, right[index]]);
  const size = rows.length;
  for (let column = 0; column < size; column++) {
    let pivot = column;
    for (let row = column + 1; row < size; row++) {
      if (Math.abs(rows[row][column]) > Math.abs(rows[pivot][column])) pivot = row;
    }
    [rows[column], rows[pivot]] = [rows[pivot], rows[column]];
    for (let row = 0; row < size; row++) {
      if (row === column) continue;
      const factor = rows[row][column] / rows[column][column];
      for (let place = column; place <= size; place++) rows[row][place] -= factor * rows[column][place];
    }
  }
  return rows.map((row, index) => row[size] / row[index]);
}

function moved(parameters: readonly number[], change: readonly number[], length: number): number[] {
  return parameters.map((value, index) => value - length * change[index]);
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, index) => sum + value * b[index], 0);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
