/** The formula behind an algorithm or a metric, its paper, and the file of this repository that computes it. */
import { Doc } from './doc-link';
import formulas from './formulas.json';

export type FormulaName = keyof typeof formulas;

interface Entry {
  title: string;
  formula: string;
  file: string;
  /** arXiv's number. */
  paper?: string;
}

export function Formula({ name }: { name: FormulaName }) {
  const { formula, file, paper }: Entry = formulas[name];
  return (
    <span class="formula">
      <code>{formula}</code>{' '}
      <small>
        computed in <code>{file}</code>
        {paper === undefined ? null : (
          <>
            {', '}
            <a href={`https://arxiv.org/abs/${paper}`} rel="noreferrer" target="_blank">
              arXiv {paper}
            </a>
          </>
        )}
        .
      </small>
    </span>
  );
}

/** All of them, for the explanations. */
export function Formulas() {
  return (
    <details>
      <summary>Which formula is behind each curve and each algorithm?</summary>
      <p>
        R is the reward of a completion, A its advantage (A_t at token t), G_t what is still to come from
        token t on; β is the weight of the KL penalty; log p is the logarithm of the probability that the
        model gives to a token, p_ref that of the model at the start; k1, k2 and k3 are three ways to estimate
        KL from samples; Σ is a sum. <Doc name="algorithms">The page of formulas</Doc> has all in full, each
        beside the file that computes it; <Doc name="read-the-code">another</Doc> leads through the files in
        the order of the data.
      </p>
      <dl class="formulas stack">
        {(Object.keys(formulas) as FormulaName[]).map((name) => (
          <div key={name}>
            <dt>{formulas[name].title}</dt>
            <dd>
              <Formula name={name} />
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
