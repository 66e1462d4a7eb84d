import { openSharedEngine } from '../fixtures/webgpu/shared-device';
import { expect, it } from 'vitest';
import { flatten } from '../../src/ops/flat';
import { withReferenceOps } from '../../src/ops/lib/backend-switch';
import { randomTensor, seeded } from './kernel-checks';

it('tensors and parts of them become one vector in their order, fused and plain', async () => {
  const engine = await openSharedEngine();
  const random = seeded('flat');
  const tensors = [[3], [2, 5], [1, 1], [7, 1, 3]].map((shape) => randomTensor(random, shape));
  const whole = tensors.map((tensor) => [...tensor.dataSync()]);
  const parts = [
    { tensor: tensors[3], offset: 4, size: 9 },
    tensors[0],
    { tensor: tensors[1], offset: 0, size: 1 },
    tensors[2],
    { tensor: tensors[1], offset: 6, size: 4 },
  ];
  const expected = [
    ...whole[3].slice(4, 13),
    ...whole[0],
    ...whole[1].slice(0, 1),
    ...whole[2],
    ...whole[1].slice(6, 10),
  ];
  expect([...(await flatten(parts).data())]).toEqual(expected);
  expect([...(await withReferenceOps(() => flatten(parts).data()))]).toEqual(expected);
  engine.dispose();
});
