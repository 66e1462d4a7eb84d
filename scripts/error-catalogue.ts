/**
 * Writes docs/errors.md from the source: every code that Marble throws or shows, its message, its next step, and the tests
 * that speak of it. `npm run errors`; a test fails where the file is out of date.
 *
 * Codes are read off the syntax tree: `new MarbleError(code, message, nextStep)`, functions that wrap it, and plain
 * objects with a code. What is only known when it happens stands as "…".
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';

const root = join(import.meta.dirname, '..');
const codePattern = /^(tom|reward|gpu|ops|model|rl|store|share|export|command|app)\/[a-z0-9-]+$/;

export interface ErrorEntry {
  code: string;
  message: string;
  nextStep: string;
  /** The file that says it. */
  from: string;
}

function filesBelow(folder: string, ending: RegExp): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name))
    .map((name) => join(root, folder, name))
    .sort();
}

/** What an expression says, as far as its text tells; `known` gives the names that stand for other expressions. */
function textOf(node: ts.Expression | undefined, known: ReadonlyMap<string, ts.Expression>): string {
  if (node === undefined) return '…';
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node)) {
    const spans = node.templateSpans.map((span) => textOf(span.expression, known) + span.literal.text);
    return node.head.text + spans.join('');
  }
  if (ts.isParenthesizedExpression(node)) return textOf(node.expression, known);
  if (ts.isConditionalExpression(node)) {
    const [one, other] = [textOf(node.whenTrue, known), textOf(node.whenFalse, known)];
    return [one, other].includes('…') ? '…' : `${one} / ${other}`;
  }
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    return textOf(node.left, known) + textOf(node.right, known);
  }
  const meant = ts.isIdentifier(node) ? known.get(node.text) : undefined;
  return meant === undefined || meant === node ? '…' : textOf(meant, new Map());
}

/** Every code that an expression can be. */
function codesOf(node: ts.Expression | undefined, known: ReadonlyMap<string, ts.Expression>): string[] {
  if (node !== undefined && ts.isConditionalExpression(node)) {
    return [...codesOf(node.whenTrue, known), ...codesOf(node.whenFalse, known)];
  }
  const meant = node !== undefined && ts.isIdentifier(node) ? known.get(node.text) : undefined;
  if (meant !== undefined && meant !== node) return codesOf(meant, new Map());
  if (node !== undefined && ts.isTemplateExpression(node) && node.templateSpans.length === 1) {
    const [{ expression, literal }] = node.templateSpans;
    const inside = ts.isIdentifier(expression) ? known.get(expression.text) : undefined;
    const parts =
      inside !== undefined && ts.isConditionalExpression(inside)
        ? [inside.whenTrue, inside.whenFalse]
        : [inside];
    return parts.map((part) => node.head.text + textOf(part, known) + literal.text);
  }
  return [textOf(node, known)];
}

function isNew(node: ts.Node): node is ts.NewExpression {
  return ts.isNewExpression(node) && node.expression.getText() === 'MarbleError';
}

/** A function that makes an error from its parameters. */
interface Wrapper {
  parameters: readonly ts.ParameterDeclaration[];
  made: ts.NewExpression;
  from: string;
}

function visit(node: ts.Node, take: (node: ts.Node) => void): void {
  take(node);
  ts.forEachChild(node, (child) => visit(child, take));
}

function enclosing(node: ts.Node): { name: string; parameters: readonly ts.ParameterDeclaration[] } | null {
  for (let at: ts.Node | undefined = node.parent; at !== undefined; at = at.parent) {
    if (ts.isFunctionDeclaration(at) && at.name !== undefined) {
      return { name: at.name.text, parameters: at.parameters };
    }
    if (ts.isArrowFunction(at) && ts.isVariableDeclaration(at.parent)) {
      return { name: at.parent.name.getText(), parameters: at.parameters };
    }
  }
  return null;
}

/** Constants of a file, which messages are put together from. */
function constantsOf(source: ts.SourceFile): Map<string, ts.Expression> {
  const constants = new Map<string, ts.Expression>();
  for (const statement of source.statements) {
    if (!ts.isVariableStatement(statement)) continue;
    for (const { name, initializer } of statement.declarationList.declarations) {
      if (ts.isIdentifier(name) && initializer !== undefined) constants.set(name.text, initializer);
    }
  }
  return constants;
}

/** All that the source says, by code and then by file. */
export function findErrors(): ErrorEntry[] {
  const sources = ['src', 'workers']
    .flatMap((folder) => filesBelow(folder, /\.tsx?$/))
    .map((path) => ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true));
  const entries: ErrorEntry[] = [];
  const wrappers = new Map<string, Wrapper[]>();

  const add = (
    from: string,
    known: ReadonlyMap<string, ts.Expression>,
    code: ts.Expression | undefined,
    message: ts.Expression | undefined,
    nextStep: ts.Expression | undefined,
  ): void => {
    const codes = codesOf(code, known).filter((found) => codePattern.test(found));
    for (const found of codes) {
      entries.push({
        code: found,
        message: textOf(message, known),
        nextStep: textOf(nextStep, known),
        from,
      });
    }
  };

  for (const source of sources) {
    const from = relative(root, source.fileName);
    const known = constantsOf(source);
    visit(source, (node) => {
      if (isNew(node)) {
        const [code, message, nextStep] = node.arguments ?? [];
        const around = enclosing(node);
        const named = new Set(around?.parameters.map(({ name }) => name.getText()) ?? []);
        let takesCode = false;
        visit(code, (part) => (takesCode ||= ts.isIdentifier(part) && named.has(part.text)));
        const isPassedOn = [message, nextStep].some((each) => ts.isIdentifier(each) && named.has(each.text));
        if (around !== null && (takesCode || isPassedOn)) {
          const all = wrappers.get(around.name) ?? [];
          wrappers.set(around.name, [...all, { parameters: around.parameters, made: node, from }]);
        } else add(from, known, code, message, nextStep);
      }
      if (ts.isObjectLiteralExpression(node)) {
        const value = (name: string): ts.Expression | undefined => {
          const property = node.properties.find((each) => each.name?.getText() === name);
          return property !== undefined && ts.isPropertyAssignment(property)
            ? property.initializer
            : undefined;
        };
        const code = value('code');
        if (code !== undefined) add(from, known, code, value('message') ?? value('cause'), value('nextStep'));
      }
    });
  }
  for (const source of sources) {
    const from = relative(root, source.fileName);
    const constants = constantsOf(source);
    visit(source, (node) => {
      if (!ts.isCallExpression(node) || !ts.isIdentifier(node.expression)) return;
      const named = wrappers.get(node.expression.text) ?? [];
      // One of the same file before one that is imported.
      const own = named.filter((each) => each.from === from);
      const isOneFile = new Set(named.map((each) => each.from)).size === 1;
      for (const { parameters, made } of own.length > 0 ? own : isOneFile ? named : []) {
        const known = new Map(constants);
        parameters.forEach(({ name, initializer }, index) => {
          const given = node.arguments[index] ?? initializer;
          if (given !== undefined) known.set(name.getText(), given);
        });
        const [code, message, nextStep] = made.arguments ?? [];
        add(from, known, code, message, nextStep);
      }
    });
  }
  return entries.sort((a, b) => (a.code < b.code ? -1 : a.code > b.code ? 1 : a.from < b.from ? -1 : 1));
}

/** What a test says of an error that it throws or shows itself, in the place of Marble. */
const ofStandIns = [
  /new MarbleError\(\s*'[a-z0-9/-]+'/g,
  /\bcode: '[a-z0-9/-]+'(?: as const)?,\s*message: '/g,
];

/** Codes that the text of a test expects, in quotes. */
export function codesExpected(text: string): Set<string> {
  const expecting = ofStandIns.reduce((rest, said) => rest.replaceAll(said, ''), text);
  return new Set(
    Array.from(expecting.matchAll(/['"`]([a-z]+\/[a-z0-9-]+)(?:['"`]|: )/g), ([, code]) => code),
  );
}

/** Test files by the codes that they expect; the test of this catalogue names some and provokes none. */
export function testsByCode(): Map<string, string[]> {
  const tests = new Map<string, string[]>();
  for (const path of filesBelow('tests', /(?<!error-catalogue)\.test\.ts$/)) {
    for (const code of codesExpected(readFileSync(path, 'utf8'))) {
      tests.set(code, [...(tests.get(code) ?? []), relative(join(root, 'tests'), path)]);
    }
  }
  return tests;
}

const cell = (text: string): string =>
  text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ').replaceAll('<', '&lt;');

export function errorsPage(errors: readonly ErrorEntry[]): string {
  const codes = [...new Set(errors.map(({ code }) => code))];
  const tests = testsByCode();
  const lines = codes.map((code) => {
    const said = errors.filter((error) => error.code === code);
    const each = (part: (error: ErrorEntry) => string): string =>
      [...new Set(said.map((error) => cell(part(error))))].join('<br>');
    const [first, ...others] = tests.get(code) ?? [];
    const where =
      first === undefined ? '' : others.length === 0 ? first : `${first} and ${others.length} more`;
    return `| \`${code}\` | ${each(({ message }) => message)} | ${each(({ nextStep }) => nextStep)} | ${where} |`;
  });
  return [
    '# What can go wrong',
    '',
    'Every error of Marble has a code, says what happened, and says what to do. Written by `npm run errors` from the source; "…" stands for',
    'what is only known when it happens. The last column is the first test file that provokes it.',
    '',
    '| code | what happened | what to do | test |',
    '|---|---|---|---|',
    ...lines,
    '',
  ].join('\n');
}

export const errorsFile = join(root, 'docs', 'errors.md');

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  writeFileSync(errorsFile, errorsPage(findErrors()));
}
