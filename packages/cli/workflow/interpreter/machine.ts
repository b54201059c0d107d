import * as z from 'zod/mini';
import { checkFields } from './check-state.ts';
import { type ChoiceRule, readRule } from './choice.ts';
import { checkPathTemplate, checkPathValue } from './json-path-data.ts';
import { checkCondition, checkJsonataTemplate, isExpression } from './jsonata-data.ts';
import { DefinitionError } from './state-error.ts';
import { FIELDS_OF_STATES, type Fields, type Language, type StateType } from './state-fields.ts';

/** A state machine, or a part of one: a branch, or the processor of a map. */
export interface Machine {
  readonly startAt: string;
  readonly states: ReadonlyMap<string, State>;
  readonly timeoutSeconds?: number | undefined;
}

export interface State {
  readonly name: string;
  readonly type: StateType;
  readonly language: Language;
  readonly fields: Fields;
  /** The next state; absent if the state ends its machine, or is a choice. */
  readonly next: string | undefined;
  readonly retriers: readonly Retrier[];
  readonly catchers: readonly Catcher[];
  readonly rules: readonly ChoiceRule[];
  /** The branches, or the processor of a map. */
  readonly inner: readonly Machine[];
  readonly task: TaskResource | undefined;
}

/** How a task is run. */
export interface TaskResource {
  /** The name or ARN of a function; absent if an expression names it. */
  readonly function: string | undefined;
  /** Whether the definition calls `lambda:invoke`, whose input and output have the payload in a field. */
  readonly isInvoke: boolean;
  /** Whether the state waits until somebody reports its task token. */
  readonly waitsForToken: boolean;
}

const Seconds = z.int().check(z.minimum(1));
const ErrorNames = z.array(z.string()).check(z.minLength(1));
const Assign = z.optional(z.record(z.string(), z.unknown()));

const Retrier = z.strictObject({
  ErrorEquals: ErrorNames,
  IntervalSeconds: z._default(Seconds, 1),
  MaxAttempts: z._default(z.int().check(z.minimum(0)), 3),
  BackoffRate: z._default(z.number().check(z.minimum(1)), 2),
  MaxDelaySeconds: z.optional(Seconds),
  JitterStrategy: z.optional(z.enum(['FULL', 'NONE'])),
  Comment: z.optional(z.string()),
});
export type Retrier = z.infer<typeof Retrier>;

const Catcher = z.strictObject({
  ErrorEquals: ErrorNames,
  Next: z.string(),
  ResultPath: z.optional(z.nullable(z.string())),
  Output: z.optional(z.unknown()),
  Assign,
  Comment: z.optional(z.string()),
});
export type Catcher = z.infer<typeof Catcher>;

const LanguageName = z.enum(['JSONPath', 'JSONata']);
const MachineFields = z.strictObject({
  StartAt: z.string(),
  States: z.record(z.string(), z.record(z.string(), z.unknown())),
  QueryLanguage: z.optional(LanguageName),
  Comment: z.optional(z.string()),
  Version: z.optional(z.literal('1.0')),
  TimeoutSeconds: z.optional(Seconds),
  ProcessorConfig: z.optional(z.looseObject({ Mode: z.optional(z.enum(['INLINE', 'DISTRIBUTED'])) })),
});
const Head = z.looseObject({
  Type: z.string(),
  QueryLanguage: z.optional(LanguageName),
  Next: z.optional(z.string()),
  End: z.optional(z.boolean()),
  Default: z.optional(z.string()),
  Comment: z.optional(z.string()),
  Retry: z.optional(z.array(Retrier)),
  Catch: z.optional(z.array(Catcher)),
  Assign,
});
const Inner = z.array(z.unknown()).check(z.minLength(1));

/**
 * Reads a definition in the Amazon States Language.
 * @throws {DefinitionError} if Step Functions would refuse it, or the interpreter does not support a part of it
 */
export function readMachine(definition: unknown): Machine {
  const machine = readPart(definition, 'JSONPath', 'the machine');
  const names = Array.from(allStates(machine), ({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined)
    throw new DefinitionError(`two states have the name ${twice}: a name is unique, also among branches and maps`);
  return machine;
}

/** Reads a machine, a branch, or the processor of a map. @param language the language around it */
function readPart(definition: unknown, language: Language, at: string): Machine {
  const { StartAt, States, QueryLanguage = language, TimeoutSeconds } = parse(MachineFields, definition, at);
  const states = new Map(
    Object.entries(States).map(([name, fields]) => [name, readState(name, fields, QueryLanguage)]),
  );
  const targets = [StartAt, ...[...states.values()].flatMap(targetsOf)];
  const missing = targets.find((name) => !states.has(name));
  if (missing !== undefined) throw new DefinitionError(`there is no state ${missing}`);
  const unreachable = unreachableIn(StartAt, states);
  if (unreachable !== undefined) throw new DefinitionError(`no state leads to the state ${unreachable}`);
  const isEnd = ({ type, next }: State) => type !== 'Choice' && next === undefined;
  if (![...states.values()].some(isEnd)) throw new DefinitionError(`${at} never ends: no state has "End": true`);
  return { startAt: StartAt, states, timeoutSeconds: TimeoutSeconds };
}

function unreachableIn(first: string, states: ReadonlyMap<string, State>): string | undefined {
  // A set also iterates over what is added meanwhile.
  const reached = new Set([first]);
  for (const name of reached) {
    const state = states.get(name);
    if (state) for (const target of targetsOf(state)) reached.add(target);
  }
  return [...states.keys()].find((name) => !reached.has(name));
}

/** Returns every state, including those in maps and branches. */
export function* allStates(machine: Machine): Generator<State> {
  for (const state of machine.states.values()) {
    yield state;
    for (const inner of state.inner) yield* allStates(inner);
  }
}

function targetsOf({ next, fields, catchers, rules }: State): string[] {
  const { Default } = fields;
  return [
    ...(next === undefined ? [] : [next]),
    ...(typeof Default === 'string' ? [Default] : []),
    ...catchers.map(({ Next }) => Next),
    ...rules.map((rule) => rule.next),
  ];
}

function readState(name: string, fields: Fields, outer: Language): State {
  const at = `the state ${name}`;
  const head = parse(Head, fields, at);
  const language = head.QueryLanguage ?? outer;
  if (outer === 'JSONata' && language === 'JSONPath') {
    throw new DefinitionError(`${at} has the query language JSONPath in a machine of JSONata: only the reverse works`);
  }
  const type = typeOf(head.Type, at);
  checkFields(name, type, language, fields);
  requireTransition(type, head, at);
  const { Retry = [], Catch = [] } = head;
  requireAllLast(Retry, `${at}, Retry`);
  if (Retry.some(({ IntervalSeconds, MaxDelaySeconds = Infinity }) => MaxDelaySeconds <= IntervalSeconds))
    throw new DefinitionError(`${at}, Retry: MaxDelaySeconds must be greater than IntervalSeconds`);
  requireAllLast(Catch, `${at}, Catch`);
  for (const catcher of Catch) checkCatcher(catcher, language, at);
  checkValues(fields, language, at);
  return {
    name,
    type,
    language,
    fields,
    next: head.Next,
    retriers: Retry,
    catchers: Catch,
    rules: type === 'Choice' ? rulesOf(fields, language, at) : [],
    inner: innerOf(type, fields, language, at),
    task: type === 'Task' ? resourceOf(fields, at) : undefined,
  };
}

function rulesOf({ Choices }: Fields, language: Language, at: string): ChoiceRule[] {
  const rules = parse(Inner, Choices, at).map((rule) => readRule(rule, language, at));
  for (const { condition, fields } of rules) {
    if (condition.kind === 'expression') checkCondition(condition.expression, `${at}, Choices`);
    checkValues(fields, language, `${at}, Choices`);
  }
  return rules;
}

/** The name that fits any error stands alone, in the last retrier or catcher. */
function requireAllLast(all: readonly Pick<Retrier, 'ErrorEquals'>[], at: string): void {
  const wrong = all.some(
    ({ ErrorEquals }, index) =>
      ErrorEquals.includes('States.ALL') && (ErrorEquals.length > 1 || index < all.length - 1),
  );
  if (wrong) throw new DefinitionError(`${at}: States.ALL must stand alone, and in the last entry`);
}

/** The name of a variable, in which the path of a value ends with `.$`. */
const VARIABLE = /^[\p{ID_Start}_]\p{ID_Continue}{0,79}$/u;

function checkAssign(assign: unknown, language: Language, at: string): void {
  for (const name of Object.keys(Object(assign))) {
    const variable = language === 'JSONPath' ? name.replace(/\.\$$/, '') : name;
    if (variable === 'states') throw new DefinitionError(`${at}: the variable states belongs to Step Functions`);
    if (!VARIABLE.test(variable))
      throw new DefinitionError(
        `${at}: ${variable} is no name of a variable: it has letters, digits and _, begins with no digit, and has at most 80 characters`,
      );
  }
}

function typeOf(type: string, at: string): StateType {
  const known = Object.keys(FIELDS_OF_STATES);
  const isKnown = (name: string): name is StateType => known.includes(name);
  if (isKnown(type)) return type;
  throw new DefinitionError(`${at} has the type ${type}, which is none of ${known.join(', ')}`);
}

function requireTransition(type: StateType, { Next, End }: z.infer<typeof Head>, at: string): void {
  if (type === 'Choice' || type === 'Succeed' || type === 'Fail') return;
  if ((Next === undefined) !== (End === true)) throw new DefinitionError(`${at} needs either Next or "End": true`);
}

function checkCatcher({ ResultPath, Output, Assign: assign }: Catcher, language: Language, at: string): void {
  if (language === 'JSONata' && ResultPath !== undefined)
    throw new DefinitionError(`${at} has ResultPath in Catch, which is of JSONPath: use Output or Assign`);
  if (language === 'JSONPath' && Output !== undefined)
    throw new DefinitionError(`${at} has Output in Catch, which is of JSONata: use ResultPath or Assign`);
  checkValues({ ResultPath, Output, Assign: assign }, language, at);
}

/** Checks the paths, functions and expressions in the fields of a state. */
function checkValues(fields: Fields, language: Language, at: string): void {
  for (const [name, value] of Object.entries(fields)) {
    if (
      ['States', 'Branches', 'ItemProcessor', 'Iterator', 'Choices', 'Catch', 'Retry', 'Result', 'Comment'].includes(
        name,
      )
    )
      continue;
    const where = `${at}, ${name}`;
    if (name === 'Assign') checkAssign(value, language, where);
    if (language === 'JSONata') checkJsonataTemplate(value, where);
    else if (['Parameters', 'ResultSelector', 'ItemSelector', 'Assign'].includes(name)) checkPathTemplate(value, where);
    else if (name.endsWith('Path') && value !== null && value !== undefined) checkPathValue(value, name, where);
    else if (typeof value === 'string' && isExpression(value))
      throw new DefinitionError(
        `${where} is an expression of JSONata, and the query language of the state is JSONPath`,
      );
  }
}

function innerOf(type: StateType, fields: Fields, language: Language, at: string): Machine[] {
  if (type === 'Parallel')
    return parse(Inner, fields['Branches'], at).map((branch) => readPart(branch, language, `a branch of ${at}`));
  if (type !== 'Map') return [];
  const processor = fields['ItemProcessor'] ?? fields['Iterator'];
  const { Mode } =
    z.looseObject({ Mode: z.optional(z.string()) }).safeParse(Object(processor).ProcessorConfig).data ?? {};
  if (Mode === 'DISTRIBUTED') {
    throw new DefinitionError(
      `${at} is a distributed map, which runs only on AWS: use the mode INLINE on this machine`,
    );
  }
  return [readPart(processor, language, `the processor of ${at}`)];
}

const INVOKE = /^arn:[\w-]+:states:[\w-]*:\d*:lambda:invoke(\.waitForTaskToken)?$/;
const INTEGRATION = /^arn:[\w-]+:states:/;

function resourceOf({ Resource, Parameters, Arguments }: Fields, at: string): TaskResource {
  if (typeof Resource !== 'string') throw new DefinitionError(`${at} needs a Resource`);
  const invoke = INVOKE.exec(Resource);
  if (!invoke && INTEGRATION.test(Resource)) {
    throw new DefinitionError(
      `${at} runs ${Resource}, which is not on this machine: only functions are, by their ARN or with lambda:invoke`,
    );
  }
  if (!invoke) return { function: Resource, isInvoke: false, waitsForToken: false };
  const { FunctionName }: { FunctionName?: unknown } = Object(Parameters ?? Arguments);
  const isFixed = typeof FunctionName === 'string' && !isExpression(FunctionName);
  return { function: isFixed ? FunctionName : undefined, isInvoke: true, waitsForToken: invoke[1] !== undefined };
}

function parse<Schema extends z.ZodMiniType>(schema: Schema, value: unknown, at: string): z.infer<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new DefinitionError(`${at} is invalid at /${issue?.path.join('/')}: ${issue?.message}`);
}
