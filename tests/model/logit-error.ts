/** How far logits are from those that were expected, in the terms in which quantised weights are judged. */
export interface LogitError {
  largest: number;
  rootMeanSquare: number;
  /** Root mean square of the expected logits about their position's mean. */
  deviation: number;
  /** Share of the positions whose best token is the same. */
  sameBest: number;
  /** Mean over positions of KL(expected, actual), in nats. */
  divergence: number;
}

/** @param actual [positions * vocabulary] @param expected likewise */
export function logitError(actual: Float32Array, expected: Float32Array, vocabulary: number): LogitError {
  const positions = expected.length / vocabulary;
  let [largest, squares, spread, same, divergence] = [0, 0, 0, 0, 0];
  for (let begin = 0; begin < expected.length; begin += vocabulary) {
    const [a, e] = [actual.subarray(begin, begin + vocabulary), expected.subarray(begin, begin + vocabulary)];
    const mean = e.reduce((sum, z) => sum + z, 0) / vocabulary;
    const [topA, topE] = [a, e].map((row) => row.reduce((top, z, v) => (z > row[top] ? v : top), 0));
    if (topA === topE) same++;
    const logSum = (row: Float32Array, top: number): number =>
      row[top] + Math.log(row.reduce((sum, z) => sum + Math.exp(z - row[top]), 0));
    const [logA, logE] = [logSum(a, topA), logSum(e, topE)];
    for (let v = 0; v < vocabulary; v++) {
      const difference = a[v] - e[v];
      largest = Math.max(largest, Math.abs(difference));
      squares += difference * difference;
      spread += (e[v] - mean) ** 2;
      divergence += Math.exp(e[v] - logE) * (e[v] - logE - (a[v] - logA));
    }
  }
  return {
    largest,
    rootMeanSquare: Math.sqrt(squares / expected.length),
    deviation: Math.sqrt(spread / expected.length),
    sameBest: same / positions,
    divergence: divergence / positions,
  };
}
