/**
 * Jinja with a budget. A chat template comes with a model, from anybody, and two loops in one another or a text doubled
 * forty times would hold the tab or end it: here every evaluation, and every text or list that one yields, is paid for.
 *
 * An operation whose result can be far larger than what it is made of (`replace`, `join`, `indent`, `tojson`, a list of
 * lists written as text) has its parts evaluated and its result measured before it is done.
 */
import { Environment, Interpreter, parse, tokenize } from '@huggingface/jinja';

export type TemplateProgram = ReturnType<typeof parse>;
type Node = NonNullable<Parameters<Interpreter['evaluate']>[0]>;
type Value = ReturnType<Interpreter['evaluate']>;

/** About a tenth of a microsecond each. A conversation of two turns takes a few thousand, one of 120 kB 100,000. */
const MOST_WORK = 500_000;
const WORK = { evaluation: 2, scope: 2, element: 10, unknownName: 40, charactersEach: 16 };
/** Of any text that is made, the whole conversation included. */
const LONGEST_TEXT = 1_048_576;
const LONGEST_LIST = 20_000;
const DEEPEST_LIST = 64;
/** Of the padding and separators that `tojson` is given. */
const LONGEST_SEPARATOR = 16;
/** What the library strips white space with takes the square of its length. */
const LONGEST_SPACE = 500;

/** A part that has been evaluated already, in the place of its expression: no template can write one. */
type Evaluated = Node & { type: 'Evaluated'; value: Value };

function isEvaluated(node: Node): node is Evaluated {
  return node.type === 'Evaluated';
}

/** A copy of a node with other parts. */
function altered<Kind extends Node>(node: Kind, parts: Record<string, unknown>): Kind {
  return Object.assign(Object.create(Object.getPrototypeOf(node) as object) as Kind, node, parts);
}

type Call = Node & { callee: Node; args: Node[] };
type Member = Node & { object: Node; property: Node; computed: boolean; isCalled?: true };
type Filtered = Node & { operand: Node; filter: Node };
type Binary = Node & { left: Node; right: Node; operator: { value: string } };
type Keyword = Node & { value: Node };

function isCall(node: Node): node is Call {
  return node.type === 'CallExpression';
}

function isMember(node: Node): node is Member {
  return node.type === 'MemberExpression';
}

function isKeyword(node: Node): node is Keyword {
  return node.type === 'KeywordArgumentExpression';
}

/** @throws Error for what is no template, or takes too long to read */
export function readTemplate(source: string): TemplateProgram {
  if (new RegExp(`\\s{${LONGEST_SPACE + 1}}`).test(source)) {
    throw new Error(`it has more than ${LONGEST_SPACE} characters of white space in a row`);
  }
  return parse(tokenize(source, { lstrip_blocks: true, trim_blocks: true }));
}

/** @throws Error where the template refuses, is faulty, or has spent its budget */
export function renderTemplate(program: TemplateProgram, variables: Record<string, unknown>): string {
  const environment = new Environment();
  const constants = { true: true, True: true, false: false, False: false, none: null, None: null };
  const functions = { range, raise_exception: raise };
  for (const [name, value] of Object.entries({ ...constants, ...functions, ...variables })) {
    environment.set(name, value);
  }
  return new BudgetedInterpreter(environment, program).run(program).toString();
}

function raise(reason: unknown): never {
  throw new Error(typeof reason === 'string' ? reason : 'it gives no reason');
}

function range(first: number, second?: number, step = 1): number[] {
  const [start, stop] = second === undefined ? [0, first] : [first, second];
  const length = Math.ceil((stop - start) / step);
  if (!(length <= LONGEST_LIST)) throw new Error(`a range of it has ${length} numbers`);
  return Array.from({ length: Math.max(0, length) }, (_, index) => start + index * step);
}

/** An expression that has been evaluated: what stands in its place, and how long its value is as text. */
interface Measured {
  part: Node;
  value: Value;
  length: number;
}

/** Filters whose result can be longer than what they are given. */
const growing = new Set(['replace', 'join', 'indent', 'tojson']);

class BudgetedInterpreter extends Interpreter {
  private left = MOST_WORK;
  /** What stands in a block, so that its value is written as text. */
  private readonly written = new WeakSet();

  constructor(environment: Environment, program: TemplateProgram) {
    super(environment);
    markWritten(program, this.written);
  }

  override evaluate(node: Node | undefined, environment: Environment): Value {
    if (node !== undefined && isEvaluated(node)) return node.value;
    this.spend(WORK.evaluation);
    // A name is looked for in one scope after the other.
    for (let scope = environment.parent; scope; scope = scope.parent) this.spend(WORK.scope);
    const value = super.evaluate(node && this.prepared(node, environment), environment);
    this.weigh(value);
    if (node?.type === 'Identifier' && value.type === 'UndefinedValue') this.spend(WORK.unknownName);
    if (node !== undefined && isMember(node) && !node.isCalled && value.type === 'FunctionValue') {
      throw new Error('it takes a method for a value');
    }
    if (node !== undefined && this.written.has(node)) this.weighAll(value);
    return value;
  }

  private spend(work: number): void {
    this.left -= work;
    if (this.left < 0) throw new Error('it takes too long');
  }

  /** Pays for a value itself. */
  private weigh({ value }: Value): void {
    if (typeof value === 'string') {
      if (value.length > LONGEST_TEXT) throw new Error(`it makes a text of ${value.length} characters`);
      this.spend(Math.ceil(value.length / WORK.charactersEach));
    } else if (Array.isArray(value)) {
      if (value.length > LONGEST_LIST) throw new Error(`it makes a list of ${value.length} values`);
      this.spend(WORK.element * value.length);
    }
  }

  /** Pays for a value with all that is in it, each as often as it stands there: the work of writing it as text. */
  private weighAll(value: Value, depth = 0): number {
    if (depth > DEEPEST_LIST) throw new Error('its lists are too deep in one another');
    this.weigh(value);
    this.spend(1);
    const inside: unknown = value.value;
    if (typeof inside === 'string') return inside.length;
    let length = 16;
    if (Array.isArray(inside)) {
      for (const part of inside as Value[]) length += this.weighAll(part, depth + 1);
    } else if (inside instanceof Map) {
      for (const [name, part] of inside as Map<string, Value>) {
        length += name.length + this.weighAll(part, depth + 1);
      }
    }
    return length;
  }

  private evaluated(node: Node, environment: Environment): Measured {
    const value = this.evaluate(node, environment);
    const part = altered(node, { type: 'Evaluated', value });
    return { part, value, length: this.weighAll(value) };
  }

  /** The node with those parts evaluated from whose size that of its result can be told. */
  private prepared(node: Node, environment: Environment): Node {
    if (node.type === 'BinaryExpression') {
      const { left, right, operator } = node as Binary;
      if (operator.value === 'and' || operator.value === 'or') return node;
      const first = this.evaluated(left, environment).part;
      return altered(node, { left: first, right: this.evaluated(right, environment).part });
    }
    if (node.type === 'FilterExpression') {
      const { operand, filter } = node as Filtered;
      const subject = this.evaluated(operand, environment);
      const name = nameOf(isCall(filter) ? filter.callee : filter);
      if (name === 'sort') this.spend(subject.length);
      // Of other filters the arguments stay as they are written, names of attributes; they make nothing larger.
      const isMeasured = isCall(filter) && growing.has(name);
      const checked = isMeasured ? this.measured(filter, name, subject, environment) : filter;
      return altered(node, { operand: subject.part, filter: checked });
    }
    if (node.type === 'FilterStatement' && isCall((node as Filtered).filter)) {
      throw new Error('a filter block with arguments is not read');
    }
    if (!isCall(node) || !isMember(node.callee)) return node;
    const { object, property, computed } = node.callee;
    const subject = this.evaluated(object, environment);
    const named = computed ? this.evaluated(property, environment) : null;
    const name = named === null ? nameOf(property) : named.value.toString();
    const callee = altered(node.callee, {
      object: subject.part,
      property: named?.part ?? property,
      isCalled: true,
    });
    return altered(this.measured(node, name, subject, environment), { callee });
  }

  /** A call with its arguments evaluated, once it is known that its result is no longer than a text may be. */
  private measured(call: Call, name: string, subject: Measured, environment: Environment): Call {
    const positional: unknown[] = [];
    let longest = 0;
    const args = call.args.map((argument) => {
      if (argument.type.endsWith('SpreadExpression')) throw new Error(`${name} with * is not read`);
      const result = this.evaluated(isKeyword(argument) ? argument.value : argument, environment);
      longest = Math.max(longest, sizeOf(result.value));
      if (isKeyword(argument)) return altered(argument, { value: result.part });
      positional.push(result.value.value);
      return result.part;
    });
    const length = lengthAfter(name, subject, positional, longest);
    if (length > LONGEST_TEXT) throw new Error(`${name} makes a text of ${length} characters`);
    return altered(call, { args });
  }
}

/**
 * How long a text a filter or a method makes, at most.
 *
 * @param longest of the arguments, as `sizeOf` counts
 */
function lengthAfter(
  name: string,
  { value: { value: subject }, length }: Measured,
  [first, second]: readonly unknown[],
  longest: number,
): number {
  const isText = typeof subject === 'string';
  switch (name) {
    case 'replace':
      if (!isText || typeof first !== 'string' || typeof second !== 'string') return 0;
      return subject.length + countOf(first, subject) * (second.length - first.length);
    case 'join':
      return length + longest * (isText || Array.isArray(subject) ? subject.length : 0);
    case 'indent':
      return isText ? length + longest * (1 + countOf('\n', subject)) : 0;
    case 'tojson':
      if (longest > LONGEST_SEPARATOR) throw new Error('tojson is given too wide an indent');
      return length;
    default:
      return 0;
  }
}

function countOf(part: string, text: string): number {
  if (part === '') return text.length + 1;
  let count = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) count += 1;
  return count;
}

/** Of an argument: its characters, those of the longest in a list, or the number that it is. */
function sizeOf({ value }: Value): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'string') return value.length;
  return Array.isArray(value) ? Math.max(0, ...value.map(sizeOf)) : 0;
}

function nameOf(node: Node): string {
  const { value } = node as Node & { value?: unknown };
  return node.type === 'Identifier' && typeof value === 'string' ? value : '';
}

/** Notes everything that stands in a block of a statement. */
function markWritten(node: Node, into: WeakSet<object>): void {
  const { body, alternate, defaultBlock } = node as Node & Record<string, Node[] | undefined>;
  for (const statement of [body, alternate, defaultBlock].flatMap((block) => block ?? [])) {
    into.add(statement);
    markWritten(statement, into);
  }
}
