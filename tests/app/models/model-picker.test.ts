import { expect, it } from 'vitest';
import { withModelFault } from '../../../src/app/models/model-picker';

it('a model that is yet to be chosen keeps a run from beginning with the one before it', () => {
  const faulty = withModelFault(new Map([['steps', 'too many']]), 'No model has been chosen.');
  expect([...faulty.keys()]).toEqual(['steps', 'model']);
  expect([...withModelFault(faulty, null).keys()]).toEqual(['steps']);
});
