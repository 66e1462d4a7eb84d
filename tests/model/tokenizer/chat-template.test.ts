import { Template } from '@huggingface/jinja';
import { expect, it } from 'vitest';
import { parseChatTemplate } from '../../../src/model/tokenizer/parse-chat-template';
import type { ChatMessage } from '../../../src/model/tokenizer/chat-template';

const messages: ChatMessage[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Where is Ann?' },
];
const render = (source: string): string =>
  parseChatTemplate(source, { eos_token: '<|end|>' }).render(messages);

it.each([
  ['{% for m in messages %}{{ loop.index }}{{ m.role[0] }}{% endfor %}', '1s2u'],
  [
    "{{ ['b', 'a'] | sort | join }}{{ range(3) | join('-') }}{{ range(5, 0, -2) | join }}{{ range(3, 1) }}",
    'ab0-1-2531[]',
  ],
  ['{{ eos_token }}', '<|end|>'],
  ["{{ messages[1].content.split(' ')[-1].strip('?') }}{{ messages[0].get('x', 'y') }}", 'Anny'],
  ["{{ 'abcd'[1:] }}{{ 'ab'[::-1] }}{{ messages[::-1][0].role }}{{ 'abc'[:2] }}", 'bcdbauserab'],
  ['{{ True and none is none and not False }}{{ strftime_now is defined }}', 'truefalse'],
])('renders the template %s', (source, text) => {
  expect(render(source)).toBe(text);
});

it('@huggingface/jinja ignores the argument of strip, lstrip and rstrip', () => {
  const template = "{{ 'xa'.strip('x') }} {{ 'xa'.lstrip('x') }} {{ 'ax'.rstrip('x') }}";
  expect(new Template(template).render(), 'fixed upstream: delete `stripped`').toBe('xa xa ax');
});

// Expected values from Python 3.11.
it.each([
  ["{{ '\\n  a \\n'.lstrip('\\n') }}", '  a \n'],
  ["{{ '\\n  a \\n'.rstrip('\\n') }}", '\n  a '],
  ["{{ ('xyaxbyx'|string).strip('xy') }}", 'axb'],
  ["{{ 'xyx'.strip('xy') }}{{ 'xyx'.lstrip('x').rstrip('y') }}{{ ' a '.strip(none) }}", 'yxa'],
  ["{{ ' a '.strip() }}{% set x = {'strip': 1} %}{{ x.strip }}", 'a1'],
  [
    "{% for c in [' .a.'] %}{% if c.strip(' .') == 'a' %}{{ c.strip('. ') | upper }}{% endif %}{% endfor %}",
    'A',
  ],
])('strip, lstrip and rstrip accept the characters to strip: %s', (source, text) => {
  expect(render(source)).toBe(text);
});

const doubled = (start: string, double: string) =>
  `{% set n = namespace(x=${start}) %}{% for i in range(40) %}{% set n.x = ${double} %}{% endfor %}`;
const nested = (depth: number, body: string): string =>
  depth === 0 ? body : `{% for a in range(1900) %}${nested(depth - 1, body)}{% endfor %}`;

it.each([
  ['a list without end', '{{ range(300000000) | length }}'],
  ['a list of no length', '{{ range(0, 1, 0) | length }}'],
  ['loops in loops', nested(3, '{{ a }}')],
  ['loops in loops without a body', nested(3, '')],
  [
    'a filtered loop',
    '{% for a in range(1900) %}{% for b in range(1900) if b > 1999 %}{% endfor %}{% endfor %}',
  ],
  ['a text that doubles', `${doubled("'ab'", 'n.x + n.x')}{{ n.x }}`],
  ['a text that is replaced', `${doubled("'ab'", "n.x.replace('a', 'aaaaaaaa')")}{{ n.x }}`],
  ['a text that is joined', `${doubled("'ab'", 'range(1900) | join(n.x)')}{{ n.x }}`],
  ['a list that doubles', `${doubled('[1]', 'n.x + n.x')}{{ n.x | length }}`],
  ['a list of itself as JSON', `${doubled('[1]', '[n.x, n.x]')}{{ n.x | tojson }}`],
  ['a list of itself as text', `${doubled('[1]', '[n.x, n.x]')}{{ n.x }}`],
  ['an object of itself', `${doubled('[1]', '{"a": n.x, "b": n.x}')}{{ n.x | tojson }}`],
  ['a namespace in itself', '{% set n = namespace() %}{% set n.n = n %}{{ n | tojson }}'],
  ['a macro that calls itself', '{% macro f(x) %}{{ f(x) }}{{ f(x) }}{% endmacro %}{{ f(1) }}'],
  ['parentheses', `{{ ${'('.repeat(90_000)}1${')'.repeat(90_000)} }}`],
  ['a long run of white space', ' '.repeat(100_000)],
  ['a long text', `{# ${'x'.repeat(300_000)} #}`],
])('refuses a template with %s within its fences', { timeout: 60_000 }, (_, source) => {
  const before = process.memoryUsage().rss;
  expect(() => render(source)).toThrow(expect.objectContaining({ code: 'model/chat-template' }) as Error);
  expect(process.memoryUsage().rss - before).toBeLessThan(1e9);
});

it('strips as many characters as a text may have within seconds', () => {
  const long = (name: string, letter: string): string =>
    `{% set ${name} = '${letter}' %}${`{% set ${name} = ${name} + ${name} %}`.repeat(18)}`;
  const start = performance.now();
  expect(render(`${long('s', 'a')}${long('t', 'b')}{{ s.strip(t + 'a') | length }}`)).toBe('0');
  expect(performance.now() - start).toBeLessThan(5000);
});

it('renders a long conversation within the fences', () => {
  const source =
    "{% for m in messages %}{{ '<|' + m.role + '|>\\n' + m.content.strip('\\n') + eos_token + '\\n' }}{% endfor %}";
  const long = Array.from({ length: 100 }, (): ChatMessage => ({
    role: 'user',
    content: 'x'.repeat(5_000),
  }));
  const rendered = parseChatTemplate(source, { eos_token: '<|end|>' }).render(long);
  expect(rendered.length).toBeGreaterThan(500_000);
});
