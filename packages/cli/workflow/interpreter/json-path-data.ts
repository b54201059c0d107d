import { type ChoiceRule, testCondition } from './choice.ts';
import { isIntrinsic, parseIntrinsic, runIntrinsic } from './intrinsics.ts';
import { isObject, isPath, type JsonPath, parsePath, select, setAt } from './json-path.ts';
import type { Ended, Scope, StateData } from './state-data.ts';
import { DefinitionError, runtimeError, StateError } from './state-error.ts';
import type { Fields } from './state-fields.ts';

/** The end of the name of a field whose value is a path or a function. */
const COMPUTED = '.$';

/** @throws {DefinitionError} if a field of a template that ends with `.$` is no path and no function */
export function checkPathTemplate(template: unknown, at: string): void {
  if (Array.isArray(template)) for (const item of template) checkPathTemplate(item, at);
  if (!isObject(template)) return;
  for (const [name, value] of Object.entries(template)) {
    if (!name.endsWith(COMPUTED)) checkPathTemplate(value, at);
    else if (typeof value === 'string') checkComputed(value, at);
    else throw new DefinitionError(`${at}: the value of ${name} must be a path or a function`);
  }
}

function checkComputed(value: string, at: string): void {
  if (isIntrinsic(value)) parseIntrinsic(value);
  else if (isPath(value)) parsePath(value);
  else throw new DefinitionError(`${at}: ${value} must be a path such as $.id, or a function such as States.Format(…)`);
}

/** @throws {DefinitionError} if the value of a field such as `ItemsPath` is no path */
export function checkPathValue(value: unknown, name: string, at: string): void {
  if (typeof value !== 'string') throw new DefinitionError(`${at} must be a path`);
  if (name === 'ErrorPath' || name === 'CausePath') {
    checkComputed(value, at);
    return;
  }
  const path = parsePath(value);
  if (name === 'ResultPath' && (!path.isDefinite || path.root !== 'data')) {
    throw new DefinitionError(`${at} must be a reference path such as $.result`);
  }
}

/** Returns the value of a path, of the data, the context object or a variable. */
function read(path: JsonPath, data: unknown, { context, variables }: Scope): unknown {
  if (path.root === 'data') return select(path, data);
  if (path.root === 'context') return select(path, context);
  const { variable } = path.root;
  return Object.hasOwn(variables, variable) ? select(path, variables[variable]) : undefined;
}

function compute(text: string, data: unknown, scope: Scope): unknown {
  if (isIntrinsic(text)) return runIntrinsic(parseIntrinsic(text), (path) => compute(path, data, scope));
  const value = read(parsePath(text), data, scope);
  if (value === undefined) throw runtimeError(`The path ${text} selects nothing.`);
  return value;
}

function fill(template: unknown, data: unknown, scope: Scope): unknown {
  if (Array.isArray(template)) return template.map((item) => fill(item, data, scope));
  if (!isObject(template)) return template;
  return Object.fromEntries(
    Object.entries(template).map(([name, value]) =>
      name.endsWith(COMPUTED)
        ? [name.slice(0, -COMPUTED.length), compute(String(value), data, scope)]
        : [name, fill(value, data, scope)],
    ),
  );
}

function effectiveInput({ InputPath }: Fields, scope: Scope): unknown {
  if (InputPath === null) return {};
  return InputPath === undefined ? scope.input : compute(String(InputPath), scope.input, scope);
}

function withParameters({ Parameters, ...fields }: Fields, scope: Scope): unknown {
  const input = effectiveInput(fields, scope);
  return Parameters === undefined ? input : fill(Parameters, input, scope);
}

function ended(fields: Fields, output: unknown, assignFrom: unknown, scope: Scope): Ended {
  const { OutputPath, Assign = {} } = fields;
  const selected = OutputPath === undefined ? output : compute(String(OutputPath), output, scope);
  return { output: OutputPath === null ? {} : selected, assigned: Object(fill(Assign, assignFrom, scope)) };
}

/** Puts a result into the input of its state. */
function placed({ ResultPath = '$' }: Fields, result: unknown, { input }: Scope): unknown {
  if (ResultPath === null) return input;
  const output = setAt(parsePath(String(ResultPath)), input, result);
  if (output !== undefined) return output;
  throw new StateError(
    'States.ResultPathMatchFailure',
    `The result cannot be put at ${String(ResultPath)} of the state’s input.`,
  );
}

const isComputedPath = (fields: Fields, name: string) => fields[`${name}Path`] !== undefined;

/** JSONPath. */
export const JSON_PATH: StateData = {
  fault: runtimeError,
  argumentsOf: async (fields, scope) => withParameters(fields, scope),
  valueOf: async (fields, name, scope) => {
    if (!isComputedPath(fields, name)) return fields[name];
    return compute(String(fields[`${name}Path`]), effectiveInput(fields, scope), scope);
  },
  itemsOf: async ({ ItemsPath = '$', ...fields }, scope) =>
    compute(String(ItemsPath), effectiveInput(fields, scope), scope),
  itemInput: async ({ ItemSelector, Parameters, ...fields }, item, scope) => {
    const selector = ItemSelector ?? Parameters;
    return selector === undefined ? item : fill(selector, effectiveInput(fields, scope), scope);
  },
  holds: async ({ condition }: ChoiceRule, fields, scope) => {
    if (condition.kind === 'expression') throw new DefinitionError('a rule of JSONPath has no expression');
    const input = effectiveInput(fields, scope);
    return testCondition(condition, (path) => read(parsePath(path), input, scope));
  },
  end: async (fields, scope) => {
    const input = effectiveInput(fields, scope);
    return ended(fields, input, input, scope);
  },
  endPass: async (fields, scope) => {
    const result = fields['Result'] ?? withParameters(fields, scope);
    return ended(fields, placed(fields, result, scope), result, scope);
  },
  endWith: async (fields, result, scope) => {
    const { ResultSelector } = fields;
    const selected = ResultSelector === undefined ? result : fill(ResultSelector, result, scope);
    return ended(fields, placed(fields, selected, scope), result, scope);
  },
  endCaught: async (fields, error, scope) => ended(fields, placed(fields, error, scope), error, scope),
};
