/**
 * Vite plugins for the builds of the page and the package: they remove unneeded parts of tfjs and list the licences of
 * bundled packages.
 */
import { readdirSync, readFileSync } from 'node:fs';
import type { Plugin } from 'vite';

/**
 * Kernels for images, audio, text, sparse tables, other activations and tfjs's random numbers. tfjs registers all of
 * them, and no model here uses any.
 */
const unneeded =
  /conv|pool|dilation|resize|crop|flip|rotate|pixels|draw|image|nonMax|transform|depthTo|spaceTo|batchTo|lrn|fft|string|sparse|ragged|regex|mirror|bincount|bound|searchSorted|unique|acos|asin|tan|cosh|sinh|elu|erf|cumprod|multinomial|topK|linSpace|einsum|diag|stridedSlice|batchNorm/i;

export const withoutUnneededKernels = (): Plugin => ({
  name: 'marble-kernels',
  transform(code, id) {
    if (!/tfjs-\S+\/dist\/register_all_kernels\.js$/.test(id)) return null;
    const lines = code.split('\n').filter((line) => !unneeded.test(line));
    return { code: lines.join('\n'), map: null };
  },
});

/**
 * Writes the licences of the bundled packages, one file for each entry. Vite's own list covers only part of the page.
 */
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
