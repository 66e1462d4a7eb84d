/** What thinking earned at the start, in words whose numbers fit each other. */
import type { Forecast } from '../run/evaluation';
import { rounded } from './numbers';

/** The forecast holds empty less full; here stands what thinking earned more or less, with the interval of that. */
export function earningWords({ empty, full, difference }: Omit<Forecast, 'probability'>): string {
  const [withTrace, without] = [rounded(full, 2), rounded(empty, 2)];
  // Of the rounded ones, so that a reader who subtracts finds the same.
  const more = withTrace - without;
  const [low, high] = more < 0 ? [difference.low, difference.high] : [-difference.high, -difference.low];
  const bound = (value: number): string => rounded(value, 2).toFixed(2).replace('-', '−');
  return `At the start the model earned ${bound(full)} on average with a full trace and ${bound(empty)} with its thinking forced empty: thinking earned ${Math.abs(more).toFixed(2)} ${more < 0 ? 'less' : 'more'} (${bound(low)} to ${bound(high)}).`;
}
