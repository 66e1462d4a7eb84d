/** What the page's and the package's build ask of tfjs, and of the licences of what they bundle. */
import { readdirSync, readFileSync } from 'node:fs';
import type { Plugin } from 'vite';

/**
 * Kernels for pictures, sound, texts, sparse tables, other activations and draws of tfjs's own: it registers them all, with
 * their gradients, and none of our models runs any.
 */
const unneeded =
  /conv|pool|dilation|resize|crop|flip|rotate|pixels|draw|image|nonMax|transform|depthTo|spaceTo|batchTo|lrn|fft|string|sparse|ragged|regex|mirror|bincount|bound|searchSorted|unique|acos|asin|tan|cosh|sinh|elu|erf|cumprod|multinomial|topK|linSpace|einsum|diag|stridedSlice|batchNorm/i;

export const withoutUnneededKernels = (): Plugin => ({
  name: 'marble-kernels',
  transform(code, id) {
    if (!/tfjs-\S+\/dist\/register_all_(kernels|gradients)\.js$/.test(id)) return null;
    const lines = code.split('\n').filter((line) => !unneeded.test(line));
    return { code: lines.join('\n'), map: null };
  },
});

/** The licences of what is bundled, a file for each entry: Vite's own list knows the page's part only. */
export const bundledLicences = (): Plugin => ({
  name: 'marble-licences',
  generateBundle(_, bundle) {
    const [entry] = Object.values(bundle).flatMap((part) =>
      part.type === 'chunk' && part.isEntry ? [part.name] : [],
    );
    const modules = Object.values(bundle).flatMap((part) => (part.type === 'chunk' ? part.moduleIds : []));
    const folders = modules.flatMap((id) => /^.*\/node_modules\/(@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []);
    const texts = [...new Set(folders)].sort().map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as Record<
        string,
        string
      >;
      const file = readdirSync(folder).find((name) => /^licen[sc]e/i.test(name));
      const text = file === undefined ? '' : readFileSync(`${folder}/${file}`, 'utf8');
      return `## ${name} ${version} (${license})\n\n${text}\n`;
    });
    if (texts.length === 0) return;
    this.emitFile({ type: 'asset', fileName: `licenses-${entry}.md`, source: texts.join('\n') });
  },
});
