import { parse } from '@babel/parser';
import traverse from '@babel/traverse';
import type { Node } from '@babel/types';
import type { Edit } from './workspace.ts';

/** A small change in the code that at least one test should notice. */
export interface Mutant extends Edit {
  readonly line: number;
  readonly kind: string;
  readonly original: string;
}

/** The position of a node in the text. `undefined` or `null` for a node that the parser has added. */
interface Range {
  readonly start?: number | null | undefined;
  readonly end?: number | null | undefined;
}

/** The names of fields whose texts are for people. No test has to quote them. */
const TEXTS_FOR_PEOPLE = new Set(['detail', 'title', 'summary', 'description']);
const OPPOSITE: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
};
/** The types of TypeScript's nodes that contain code. */
const TYPED_EXPRESSIONS = new Set([
  'TSAsExpression',
  'TSSatisfiesExpression',
  'TSNonNullExpression',
  'TSParameterProperty',
]);

/** Returns every mutant of a file's code. Types, imports and texts for people are not changed. */
export function mutantsOf(file: string, text: string): Mutant[] {
  const mutants: Mutant[] = [];
  const source = ({ start, end }: Node) => text.slice(start ?? 0, end ?? 0);
  const add = (kind: string, { start, end }: Range, replacement: string) => {
    if (typeof start !== 'number' || typeof end !== 'number') return;
    const original = text.slice(start, end);
    if (original === replacement) return;
    mutants.push({ file, start, end, replacement, original, kind, line: text.slice(0, start).split('\n').length });
  };
  const addOperator = (kind: string, { left }: { left: Node }, from: string, to: string) => {
    const start = text.indexOf(from, left.end ?? 0);
    add(kind, { start, end: start + from.length }, to);
  };
  const addRemovals = (kind: string, members: readonly (Node | null)[]) => {
    for (const [index, member] of members.entries()) {
      if (!member) continue;
      const [before, after] = [members[index - 1], members[index + 1]];
      if (after) add(kind, { start: member.start, end: after.start }, '');
      else add(kind, { start: before?.end ?? member.start, end: member.end }, '');
    }
  };

  traverse(parse(text, { sourceType: 'module', plugins: ['typescript'] }), {
    enter(path) {
      const { node, parent } = path;
      if (node.type.startsWith('TS') && !TYPED_EXPRESSIONS.has(node.type)) return path.skip();
      switch (node.type) {
        case 'ImportDeclaration':
        case 'ExportAllDeclaration':
          return path.skip();
        case 'ObjectProperty':
          if (node.key.type === 'Identifier' && TEXTS_FOR_PEOPLE.has(node.key.name)) path.skip();
          return;
        case 'IfStatement':
        case 'ConditionalExpression':
        case 'WhileStatement':
        case 'DoWhileStatement':
          return add('negate', node.test, `!(${source(node.test)})`);
        case 'BinaryExpression': {
          const opposite = OPPOSITE[node.operator];
          const joinsText =
            node.operator === '+' && [node.left, node.right].some(({ type }) => /String|Template/.test(type));
          if (opposite !== undefined && !joinsText) addOperator('operator', node, node.operator, opposite);
          return;
        }
        case 'LogicalExpression':
          if (node.operator === '??') add('nullish', node, source(node.left));
          else if (parent?.type !== 'SpreadElement') {
            addOperator('logical', node, node.operator, node.operator === '&&' ? '||' : '&&');
          }
          return;
        case 'AwaitExpression':
          return add('await', node, source(node.argument));
        case 'ExpressionStatement':
        case 'ThrowStatement':
        case 'BreakStatement':
        case 'ContinueStatement':
          return parent?.type === 'SwitchCase' ? undefined : add('statement', node, ';');
        case 'ReturnStatement':
          return node.argument ? add('return', node, 'return undefined;') : undefined;
        case 'NumericLiteral':
          return path.key === 'key'
            ? undefined
            : add('constant', node, String(node.value < 2 ? 1 - node.value : node.value + 1));
        case 'BooleanLiteral':
          return add('constant', node, String(!node.value));
        case 'StringLiteral':
          return path.key === 'key' ? undefined : add('constant', node, node.value === '' ? "'x'" : "''");
        case 'ArrayExpression':
          return addRemovals('element', node.elements);
        case 'ObjectExpression':
          return addRemovals('property', node.properties);
        case 'UnaryExpression':
          return node.operator === '!' ? add('not', node, source(node.argument)) : undefined;
        default:
          return;
      }
    },
  });
  return mutants;
}
