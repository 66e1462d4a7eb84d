/**
 * Writes docs/errors.md from the source: every code that Marble throws or shows, its message and its next step. `npm run
 * errors`; a test fails where the file is out of date.
 *
 * Codes are read off the syntax tree: `new MarbleError(code, message, nextStep)`, functions that wrap it, and plain
 * objects with a code. What is only known when it happens stands as "…".
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseSync, Visitor, type ESTree } from 'vite';

const root = join(import.meta.dirname, '..');
const codePattern = /^(tom|reward|gpu|ops|model|rl|store|share|export|command|app)\/[a-z0-9-]+$/;

interface ErrorEntry {
  code: string;
  message: string;
  nextStep: string;
}

/** What names stand for: constants of the file, and what a wrapper is given. */
type Names = ReadonlyMap<string, ESTree.Node>;

const UNKNOWN = '…';

/** Each text that an expression can be. */
function textsOf(node: ESTree.Node | undefined, names: Names): string[] {
  if (node?.type === 'Literal' && typeof node.value === 'string') return [node.value];
  if (node?.type === 'ConditionalExpression') {
    const texts = [...textsOf(node.consequent, names), ...textsOf(node.alternate, names)];
    return texts.includes(UNKNOWN) ? [UNKNOWN] : texts;
  }
  if (node?.type === 'BinaryExpression' && node.operator === '+') {
    return joined([textsOf(node.left, names), textsOf(node.right, names)]);
  }
  if (node?.type === 'TemplateLiteral') {
    const [first, ...rest] = node.quasis.map(({ value }) => [value.cooked ?? '']);
    return joined([first, ...rest.flatMap((text, index) => [textsOf(node.expressions[index], names), text])]);
  }
  const meant = node?.type === 'Identifier' ? names.get(node.name) : undefined;
  return meant === undefined ? [UNKNOWN] : textsOf(meant, new Map());
}

/** Every choice of one text of each part, in their order. */
const joined = (parts: readonly string[][]): string[] =>
  parts.reduce(
    (starts, ends) => starts.flatMap((start) => ends.map((end) => (start + end).replaceAll('……', UNKNOWN))),
    [''],
  );

interface NamedFunction {
  name: string;
  parameters: readonly (ESTree.ParamPattern | ESTree.FormalParameter | ESTree.TSParameterProperty)[];
}

const parameterName = (parameter: ESTree.Node): string =>
  parameter.type === 'AssignmentPattern'
    ? parameterName(parameter.left)
    : parameter.type === 'Identifier'
      ? parameter.name
      : '';

interface Wrapper extends NamedFunction {
  made: readonly ESTree.Node[];
  /** Path of its file without the ending. */
  file: string;
}

/** All that the source says, by code. */
export function findErrors(): ErrorEntry[] {
  const entries: ErrorEntry[] = [];
  const add = (names: Names, [code, message, nextStep]: readonly (ESTree.Node | undefined)[]): void => {
    for (const found of textsOf(code, names).filter((text) => codePattern.test(text))) {
      const said = (node: ESTree.Node | undefined): string => [...new Set(textsOf(node, names))].join(' / ');
      entries.push({ code: found, message: said(message), nextStep: said(nextStep) });
    }
  };
  const wrappers: Wrapper[] = [];
  const calls: { name: string; given: readonly ESTree.Node[]; names: Names; homes: string[] }[] = [];

  for (const path of filesBelow(['src', 'workers'], /\.tsx?$/)) {
    const { program } = parseSync(path, readFileSync(join(root, path), 'utf8'), { preserveParens: false });
    const file = path.replace(/\.tsx?$/, '');
    const names = constantsOf(program);
    const homes = importedFrom(program, path);
    const around: NamedFunction[] = [];
    const leave = (): void => void around.pop();
    new Visitor({
      FunctionDeclaration: ({ id, params }) => around.push({ name: id?.name ?? '', parameters: params }),
      'FunctionDeclaration:exit': leave,
      VariableDeclarator: ({ id, init }) => {
        if (init?.type === 'ArrowFunctionExpression' && id.type === 'Identifier')
          around.push({ name: id.name, parameters: init.params });
      },
      'VariableDeclarator:exit': ({ id, init }) => {
        if (init?.type === 'ArrowFunctionExpression' && id.type === 'Identifier') leave();
      },
      NewExpression: ({ callee, arguments: made }) => {
        if (callee.type !== 'Identifier' || callee.name !== 'MarbleError') return;
        const within = around.at(-1);
        const parameters = new Set(within?.parameters.map(parameterName));
        const passesOn = (node: ESTree.Node | undefined): boolean =>
          node?.type === 'Identifier'
            ? parameters.has(node.name)
            : node?.type === 'TemplateLiteral' && node === made[0] && node.expressions.some(passesOn);
        if (within !== undefined && made.some(passesOn)) wrappers.push({ ...within, made, file });
        else add(names, made);
      },
      ObjectExpression: ({ properties }) => {
        const value = (name: string): ESTree.Node | undefined =>
          properties.flatMap((each) =>
            each.type === 'Property' && each.key.type === 'Identifier' && each.key.name === name
              ? [each.value]
              : [],
          )[0];
        add(names, [value('code'), value('message') ?? value('cause'), value('nextStep')]);
      },
      CallExpression: ({ callee, arguments: given }) => {
        if (callee.type !== 'Identifier') return;
        const { name } = callee;
        calls.push({ name, given, names, homes: [file, homes.get(name) ?? ''] });
      },
    }).visit(program);
  }

  for (const { name, given, names, homes } of calls) {
    for (const { parameters, made } of wrappers.filter(
      (each) => each.name === name && homes.includes(each.file),
    )) {
      const passed = parameters.flatMap((parameter, index): [string, ESTree.Node][] => {
        const value = given[index] ?? (parameter.type === 'AssignmentPattern' ? parameter.right : undefined);
        return value === undefined ? [] : [[parameterName(parameter), value]];
      });
      add(new Map([...names, ...passed]), made);
    }
  }
  return entries.sort((a, b) => (a.code < b.code ? -1 : a.code > b.code ? 1 : 0));
}

/** Paths from the root, in order. */
function filesBelow(folders: readonly string[], ending: RegExp): string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => ending.test(name))
      .map((name) => join(folder, name))
      .sort(),
  );
}

/** Constants that messages are put together from. */
function constantsOf({ body }: ESTree.Program): Map<string, ESTree.Node> {
  const declared = body.flatMap((statement) => {
    const inner = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    return inner?.type === 'VariableDeclaration' ? inner.declarations : [];
  });
  return new Map(
    declared.flatMap(({ id, init }) => (id.type === 'Identifier' && init !== null ? [[id.name, init]] : [])),
  );
}

/** Files of the project, without their ending, by the names that are imported from them. */
function importedFrom({ body }: ESTree.Program, path: string): Map<string, string> {
  return new Map(
    body.flatMap((statement) =>
      statement.type === 'ImportDeclaration' && statement.source.value.startsWith('.')
        ? statement.specifiers.map(({ local }): [string, string] => [
            local.name,
            join(path, '..', statement.source.value),
          ])
        : [],
    ),
  );
}

const cell = (text: string): string =>
  text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ').replaceAll('<', '&lt;');

export function errorsPage(errors: readonly ErrorEntry[]): string {
  const codes = [...new Set(errors.map(({ code }) => code))];
  const lines = codes.map((code) => {
    const said = errors.filter((error) => error.code === code);
    const each = (part: (error: ErrorEntry) => string): string =>
      [...new Set(said.map((error) => cell(part(error))))].join('<br>');
    return `| \`${code}\` | ${each(({ message }) => message)} | ${each(({ nextStep }) => nextStep)} |`;
  });
  return [
    '# What can go wrong',
    '',
    'Every error of Marble has a code, says what happened, and says what to do. Written by `npm run errors` from the source; "…" stands for',
    'what is only known when it happens.',
    '',
    '| code | what happened | what to do |',
    '|---|---|---|',
    ...lines,
    '',
  ].join('\n');
}

export const errorsFile = join(root, 'docs', 'errors.md');

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  writeFileSync(errorsFile, errorsPage(findErrors()));
}
