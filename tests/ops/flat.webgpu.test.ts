import '../fixtures/node-webgpu';
import { expect, it } from 'vitest';
import { openEngine } from '../../src/gpu/engine';
import { flatten, unflatten } from '../../src/ops/flat';
import { withPlainTwins } from '../../src/ops/twin';
import { randomTensor, seeded } from './fused-twins';

it('tensors become one vector and come back, fused and plain', async () => {
  const engine = await openEngine({ backend: 'webgpu' });
  const random = seeded('flat');
  const shapes = [[3], [2, 5], [1, 1], [7, 1, 3]];
  const parts = shapes.map((shape) => randomTensor(random, shape));
  const round = async () => {
    const flat = flatten(parts);
    const back = unflatten(flat, shapes);
    for (let i = 0; i < parts.length; i++) {
      expect(back[i].shape).toEqual(shapes[i]);
      expect(await back[i].data()).toEqual(await parts[i].data());
    }
    return flat.data();
  };
  expect(await round()).toEqual(await withPlainTwins(round));
  engine.dispose();
});
