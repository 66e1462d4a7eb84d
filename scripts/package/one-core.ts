/**
 * Leaves `@tensorflow/tfjs-core` outside of the package's files, so that a program which uses tfjs beside Marble has one
 * core, one list of kernels and one device.
 *
 * Gradients are the difficulty: tfjs registers them in a file that Node cannot import, since its imports leave out the
 * extensions that Node asks for. That file is bundled, and what its gradients take from the core they take from outside.
 * A gradient that needs what the core does not export (of convolutions, pooling, resizing) is left out: no model of ours
 * has one.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as core from '@tensorflow/tfjs-core';
import type { Plugin } from 'vite';

const inCore = /tfjs-core\/dist\/(register_all_gradients|gradients\/\w+)\.js$/;
const importLine = /^import (?:\{ ([^}]+) \}|\* as (\w+)) from '(\.[^']+)';$/gm;

/** Of a gradient's own room: other gradients, and functions of plain numbers. All else is the core's. */
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

/** Whether all that a gradient takes from the core can be had from outside. */
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
    // One line imports a gradient, and another lists it.
    const left = [...code.matchAll(/^import \{ (\w+) \} from '(\.\/gradients\/\w+)';$/gm)]
      .filter(([, , from]) => !standsAlone(join(dirname(id), `${from}.js`)))
      .map(([, name]) => new RegExp(`\\b${name}\\b`));
    const lines = code.split('\n').filter((line) => !left.some((name) => name.test(line)));
    return { code: withOutsideImports(lines.join('\n')), map: null };
  },
});
