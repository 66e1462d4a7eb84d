/** One line of a chart, drawn on the page and in the picture that is saved. */
export interface ChartLine {
  label: string;
  /** Name of a custom property of style.css, so that light and dark have their own. */
  colour: string;
  steps: readonly number[];
  values: readonly (number | null)[];
  /** Raw data behind a smoothed line: drawn thin and pale, left out of the spoken values. */
  faint?: boolean;
  dashed?: boolean;
  points?: boolean;
}
