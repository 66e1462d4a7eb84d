/** The control without reasoning: every prompt ends with the given `<think> </think>`, so a response is the answer alone. */
import type { Policy } from '../../src/index';
import { tokenizerOf } from '../../src/rl/rollout';

/** The same policy under a tokenizer that closes the think block with the prompt and reads responses as if they had. */
export function withThinkShut(policy: Policy): Policy {
  const tokenizer = tokenizerOf(policy);
  const [close] = tokenizer.encode('</think>');
  const [open] = tokenizer.encode('<think>');
  const shut: Policy['tokenizer'] = {
    ...tokenizer,
    encode: (text) =>
      text.endsWith('<think>') ? [...tokenizer.encode(text), close] : tokenizer.encode(text),
    decode: (ids) => (ids.includes(open) ? tokenizer.decode(ids) : `</think> ${tokenizer.decode(ids)}`),
  };
  return new Proxy(policy, {
    get: (target, name): unknown => {
      if (name === 'tokenizer') return shut;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value as (...args: unknown[]) => unknown).bind(target) : value;
    },
  });
}
