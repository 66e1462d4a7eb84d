/**
 * Excludes `@tensorflow/tfjs-core` from the package's files, so that a program which also uses tfjs has one core, one
 * list of kernels and one device.
 *
 * Gradients need special treatment: tfjs registers them in a file that Node cannot import, because its imports lack
 * extensions. That file is bundled, and its gradients import from the external core. A gradient that needs a function
 * which the core does not export (convolutions, pooling, resizing) is left out; no model here has one.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as core from '@tensorflow/tfjs-core';
import type { Plugin } from 'vite';

const inCore = /tfjs-core\/dist\/(register_all_gradients|gradients\/\w+)\.js$/;
const importLine = /^import (?:\{ ([^}]+) \}|\* as (\w+)) from '(\.[^']+)';$/gm;

/**
 * Files bundled with a gradient: other gradients, and functions on plain numbers. Everything else comes from the core.
 */
const bundled =
  /_grad$|\/(min_max_grad_util|kernel_names|broadcast_util|axis_util|conv_util|slice_util|selu_util|util)$/;

function withOutsideImports(code: string): string {
  return code.replace(
    importLine,
    (line, list: string | undefined, namespace: string | undefined, from: string) => {
      const names = list?.split(', ') ?? [namespace!];
      const isOutside = !from.endsWith('_grad') && names.every((name) => name in core);
      return isOutside ? `import { ${names.join(', ')} } from '@tensorflow/tfjs-core';` : line;
    },
  );
}

/** True if the external core exports everything that a gradient imports. */
function standsAlone(file: string): boolean {
  const code = withOutsideImports(readFileSync(file, 'utf8'));
  return [...code.matchAll(importLine)].every(
    ([, , , from]) =>
      bundled.test(from) && (!from.endsWith('_grad') || standsAlone(join(dirname(file), `${from}.js`))),
  );
}

export const oneCore = (): Plugin => ({
  name: 'marble-one-core',
  enforce: 'pre',
  transform(code, id) {
    const file = inCore.exec(id)?.[1];
    if (file === undefined) return null;
    if (file !== 'register_all_gradients') return { code: withOutsideImports(code), map: null };
    // One line imports a gradient, and another one lists it.
    const left = [...code.matchAll(/^import \{ (\w+) \} from '(\.\/gradients\/\w+)';$/gm)]
      .filter(([, , from]) => !standsAlone(join(dirname(id), `${from}.js`)))
      .map(([, name]) => new RegExp(`\\b${name}\\b`));
    const lines = code.split('\n').filter((line) => !left.some((name) => name.test(line)));
    return { code: withOutsideImports(lines.join('\n')), map: null };
  },
});
