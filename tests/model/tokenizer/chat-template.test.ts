import { expect, it } from 'vitest';
import { parseChatTemplate } from '../../../src/model/tokenizer/parse-chat-template';
import type { ChatMessage } from '../../../src/model/tokenizer/chat-template';

const messages: ChatMessage[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Where is Ann?' },
];
const render = (source: string): string =>
  parseChatTemplate(source, { eos_token: '<|end|>' }).render(messages, true);

it.each([
  ["{{ messages | map(attribute='role') | join(', ') }}", 'system, user'],
  ["{{ messages[1].content.replace('Ann', 'Bob') | upper }}", 'WHERE IS BOB?'],
  ["{{ messages[1]['content'] | replace('Ann', 'Bob') }}", 'Where is Bob?'],
  ['{% for m in messages %}{{ loop.index }}{{ m.role[0] }}{% endfor %}', '1s2u'],
  ['{{ messages[:1] | tojson }}', '[{"role": "system", "content": "Be brief."}]'],
  ["{{ ['b', 'a'] | sort | join }}{{ range(3) | join('-') }}{{ range(5, 0, -2) | join }}", 'ab0-1-2531'],
  [
    '{%- set n = namespace(x=0) -%}{%- for m in messages -%}{%- set n.x = n.x + 1 -%}{%- endfor -%}{{ n.x }}',
    '2',
  ],
  ["{{ 'a\\nb' | indent(2) }}", 'a\n  b'],
  ['{% filter upper %}{{ eos_token }}{% endfilter %}', '<|END|>'],
  ["{% macro f(a, b='x') %}{{ a }}{{ b }}{% endmacro %}{{ f('1') }}{{ f('1', b='2') }}", '1x12'],
  ["{{ messages[1].content.split(' ')[-1].strip('?') }}{{ messages[0].get('x', 'y') }}", 'Ann?y'],
  ['{{ True and none is none and not False }}{{ strftime_now is defined }}', 'truefalse'],
])('a template is rendered: %s', (source, text) => {
  expect(render(source)).toBe(text);
});
