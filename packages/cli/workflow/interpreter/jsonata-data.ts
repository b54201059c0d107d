import { isObject } from './json-path.ts';
import type { Evaluator } from './jsonata.ts';
import { syntaxFault } from './jsonata-syntax.ts';
import type { Scope, StateData } from './state-data.ts';
import { DefinitionError, queryError } from './state-error.ts';

const START = '{%';
const END = '%}';

/** Whether a text is an expression of JSONata, `{% … %}`. */
export function isExpression(text: string): boolean {
  return text.trimStart().startsWith(START);
}

/**
 * @throws {DefinitionError} if an expression of a template is only a part of its text or has a fault, or a path is
 * written in place of one
 */
export function checkJsonataTemplate(template: unknown, at: string): void {
  if (typeof template === 'string') {
    if (template.includes(START)) checkExpression(template, at);
    return;
  }
  if (Array.isArray(template)) for (const item of template) checkJsonataTemplate(item, at);
  if (!isObject(template)) return;
  for (const [name, value] of Object.entries(template)) {
    if (name.endsWith('.$'))
      throw new DefinitionError(
        `${at}: ${name} is of JSONPath, and the query language of the state is JSONata: write an expression such as "{% $states.input.id %}"`,
      );
    checkJsonataTemplate(value, at);
  }
}

function checkExpression(text: string, at: string): void {
  if (!text.startsWith(START) || !text.endsWith(END))
    throw new DefinitionError(
      `${at}: Step Functions sends ${text} as it is, because it does not begin with ${START} and end with ${END}: make the whole text one expression, such as {% 'man-' & $states.input.id %}`,
    );
  const expression = text.slice(START.length, -END.length).trim();
  const fault = syntaxFault(expression);
  if (fault !== undefined) throw new DefinitionError(`${at}: the expression '${expression}' is invalid: ${fault}`);
}

/** @throws {DefinitionError} if the condition of a rule is no expression */
export function checkCondition(condition: string | boolean, at: string): void {
  if (typeof condition === 'boolean') return;
  if (!condition.includes(START))
    throw new DefinitionError(`${at}: the condition ${condition} is no expression: write {% ${condition} %}`);
  checkExpression(condition, at);
}

/** JSONata. @param evaluate evaluates its expressions */
export function jsonataData({ evaluate }: Pick<Evaluator, 'evaluate'>): StateData {
  const compute = (field: string, template: unknown, scope: Scope, more: object = {}) =>
    evaluate(field, template, {
      ...scope.variables,
      states: { input: scope.input, context: scope.context, ...more },
    });
  const ended = async (fields: Parameters<StateData['end']>[0], output: unknown, scope: Scope, more?: object) => {
    const { Output, Assign } = fields;
    return {
      output: Output === undefined ? output : await compute('Output', Output, scope, more),
      assigned: Assign === undefined ? {} : Object(await compute('Assign', Assign, scope, more)),
    };
  };

  return {
    fault: queryError,
    argumentsOf: async ({ Arguments }, scope) =>
      Arguments === undefined ? scope.input : compute('Arguments', Arguments, scope),
    valueOf: async (fields, name, scope) =>
      fields[name] === undefined ? undefined : compute(name, fields[name], scope),
    itemsOf: async ({ Items }, scope) => (Items === undefined ? scope.input : compute('Items', Items, scope)),
    itemInput: async ({ ItemSelector }, item, scope) =>
      ItemSelector === undefined ? item : compute('ItemSelector', ItemSelector, scope),
    holds: async ({ condition }, _, scope) => {
      if (condition.kind !== 'expression') throw new DefinitionError('a rule of JSONata needs a Condition');
      const holds = await compute('Condition', condition.expression, scope);
      if (typeof holds === 'boolean') return holds;
      throw queryError(`The condition ${String(condition.expression)} returned something else than true or false.`);
    },
    end: (fields, scope) => ended(fields, scope.input, scope),
    endPass: (fields, scope) => ended(fields, scope.input, scope),
    endWith: (fields, result, scope) => ended(fields, result, scope, { result }),
    endCaught: (fields, error, scope) => ended(fields, error, scope, { errorOutput: error }),
  };
}
