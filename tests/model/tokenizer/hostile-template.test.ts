import { describe, expect, it } from 'vitest';
import { parseChatTemplate } from '../../../src/model/tokenizer/parse-chat-template';
import type { ChatMessage } from '../../../src/model/tokenizer/chat-template';
import { refusalOf, refusalTextOf } from '../refusal';

const messages: ChatMessage[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Where is Ann?' },
];
const render = (source: string): string =>
  parseChatTemplate(source, { eos_token: '<|end|>' }).render(messages, true);

/** A text, or a list, that is as long as 2 to the power of `times`. */
const doubled = (times: number, start = "'aa'", how = 'x ~ x'): string =>
  `{% set x = ${start} %}${`{% set x = ${how} %}`.repeat(times)}`;

describe('a template', () => {
  it.each([
    ['a range of 400 million', '{% for i in range(400000000) %}{% endfor %}'],
    ['a range without an end', '{% for i in range(0, 1, 1e-320) %}{% endfor %}'],
    ['a range that stands still', '{% for i in range(0, 5, 0) %}{% endfor %}'],
    [
      'two loops of 2,000 in one another',
      '{% for i in range(2000) %}{% for j in range(2000) %}a{% endfor %}{% endfor %}',
    ],
    [
      'loops with nothing in them',
      '{% set r = range(20000) %}{% for i in r %}{% for j in r %}{% endfor %}{% endfor %}',
    ],
    ['a text doubled forty times', `${doubled(40)}{{ x }}`],
    ['a list doubled forty times', `${doubled(40, '[1]', 'x + x')}{{ x }}`],
    ['lists of lists, written out', `${doubled(40, "['a']", '[x, x]')}{{ x }}`],
    ['lists of lists as JSON', `${doubled(40, "['a']", '[x, x]')}{{ x | tojson }}`],
    ['lists of lists compared with a text', `${doubled(40, "['a']", '[x, x]')}{{ x == 'a' }}`],
    ['lists of lists joined', `${doubled(40, "['a']", '[x, x]')}{{ x | join }}`],
    ['lists of lists as a reason', `${doubled(40, "['a']", '[x, x]')}{{ raise_exception(x) }}`],
    ['a list within itself', '{% set n = namespace() %}{% set n.n = [n, n] %}{{ n }}'],
    ['every letter replaced by a long text', `${doubled(17)}{{ x.replace('a', x) }}`],
    ['every letter replaced by a long text, by a filter', `${doubled(17)}{{ x | replace('a', x) }}`],
    ['a replacement with its count before it', `${doubled(17)}{{ x | replace(count=9, 'a', x) }}`],
    ['a method under a name that is worked out', `${doubled(17)}{{ x['re' ~ 'place']('a', x) }}`],
    ['a method kept for later', `${doubled(17)}{% set f = x.replace %}{{ f('a', x) }}`],
    ['arguments out of a list', `${doubled(17)}{% set a = ['a', x] %}{{ x.replace(*a) }}`],
    ['a long text between letters', `${doubled(17)}{{ x | join(x) }}`],
    ['lines moved far to the right', `${doubled(14, "'a\\n'")}{{ x | indent(100000) }}`],
    ['a block moved far to the right', `{% filter indent(400000000) %}a\nb{% endfilter %}`],
    ['JSON moved far to the right', '{{ messages | tojson(indent=400000000) }}'],
    ['JSON with long separators', `${doubled(18)}{{ messages | tojson(separators=(x, x)) }}`],
    ['a macro that calls itself', '{% macro f() %}{{ f() }}{{ f() }}{% endmacro %}{{ f() }}'],
    ['white space for many seconds', `a${' '.repeat(100_000)}b`],
    ['more than it may have', 'a'.repeat(140_000)],
  ])('with %s is refused', async (_, source) => {
    expect(await refusalOf(() => render(source))).toBe('model/chat-template');
  });

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
  ])('that does nothing of the kind is rendered: %s', (source, text) => {
    expect(render(source)).toBe(text);
  });

  it('tells why it was refused', async () => {
    const source =
      '{% for m in messages %}{% if loop.first %}{{ raise_exception("no system turn") }}{% endif %}{% endfor %}';
    expect(await refusalTextOf(() => render(source))).toContain('no system turn');
    expect(await refusalTextOf(() => render(`${doubled(40)}{{ x }}`))).toContain('characters');
  });
});
