import * as z from 'zod/mini';
import { UsageError } from '../io.ts';

/** The task functions by the part of a resource that names them. */
const TASKS = {
  createprojecttask: 'createProject',
  putprojecttask: 'putProject',
  deleteprojecttask: 'deleteProject',
  getprogresstask: 'getProgress',
} as const;
export type TaskName = (typeof TASKS)[keyof typeof TASKS];

/** A state machine, and the task function of each of its task states. */
export interface StateMachineFile {
  readonly name: string;
  /** The definition in the Amazon States Language, as JSON. */
  readonly text: string;
  readonly tasks: ReadonlyMap<string, TaskName>;
  /** The names of the states that wait. */
  readonly waits: readonly string[];
}

const Fields = z.record(z.string(), z.unknown());
const Template = z.looseObject({
  Resources: z.record(z.string(), z.looseObject({ Type: z.string(), Properties: z.optional(Fields) })),
});
const State = z.looseObject({
  Type: z.string(),
  Resource: z.optional(z.string()),
  QueryLanguage: z.optional(z.string()),
});
const Machine = z.looseObject({
  StartAt: z.string(),
  States: z.record(z.string(), State),
  QueryLanguage: z.optional(z.string()),
});

/** How to read a template. */
interface Reading {
  /** The name of a state machine that is not in a template. */
  readonly name: string;
  /** The logical id of the state machine; required if the template has several. */
  readonly machine?: string | undefined;
  /** The values of references by their logical ids. Others have the logical id itself as their value. */
  readonly references: ReadonlyMap<string, string>;
}

/**
 * Reads a definition in the Amazon States Language, or the template of `cdk synth` that contains it.
 * @throws {CliError} if there is no definition, it needs JSONata, or a task is not one of Segue
 */
export function readStateMachine(value: unknown, { name, machine, references }: Reading): StateMachineFile {
  const template = Template.safeParse(value);
  const found = template.success ? machineIn(template.data, machine, references) : { name, definition: value };
  const parsed = Machine.safeParse(found.definition);
  if (!parsed.success) throw new UsageError('the file has no definition in the Amazon States Language');
  const states = [...statesOf(parsed.data)];
  requireJsonPath(parsed.data, states);
  return {
    name: found.name,
    text: JSON.stringify(parsed.data),
    tasks: new Map(
      states.flatMap(([state, { Type, Resource = '' }]) => (Type === 'Task' ? [[state, taskOf(state, Resource)]] : [])),
    ),
    waits: states.flatMap(([state, { Type }]) => (Type === 'Wait' ? [state] : [])),
  };
}

/** Returns the state machine of a template. */
function machineIn(
  { Resources }: z.infer<typeof Template>,
  wanted: string | undefined,
  references: Reading['references'],
) {
  const machines = Object.entries(Resources).filter(([, { Type }]) => Type === 'AWS::StepFunctions::StateMachine');
  const ids = machines.map(([id]) => id).join(', ');
  const matching = machines.filter(([id]) => wanted === undefined || id === wanted);
  const [[name = '', machine] = []] = matching;
  if (machine === undefined || matching.length > 1) {
    const hint = ids === '' ? 'the template has no state machine' : `choose a state machine with --machine: ${ids}`;
    throw new UsageError(hint);
  }
  const { DefinitionString, Definition } = machine.Properties ?? {};
  const definition = Definition === undefined ? JSON.parse(textOf(DefinitionString, references)) : Definition;
  return { name, definition };
}

const Join = z.object({ 'Fn::Join': z.tuple([z.string(), z.array(z.unknown())]) });

/** Returns the text of a value of a template. */
function textOf(value: unknown, references: Reading['references']): string {
  if (typeof value === 'string') return value;
  const join = Join.safeParse(value);
  if (join.success) {
    const [separator, parts] = join.data['Fn::Join'];
    return parts.map((part) => textOf(part, references)).join(separator);
  }
  const [target] = Object.values(Fields.parse(value));
  const id = String(Array.isArray(target) ? target[0] : target);
  return references.get(id) ?? id.replaceAll(/[^\w:-]/g, '-');
}

/** The fields of states that only JSONata has. The interpreter would pass over them. */
const JSONATA_FIELDS = ['Arguments', 'Output', 'Items'];

/** @throws {CliError} if a state machine needs JSONata, which the interpreter does not know */
function requireJsonPath(
  { QueryLanguage }: z.infer<typeof Machine>,
  states: readonly (readonly [name: string, state: z.infer<typeof State>])[],
): void {
  const [name] =
    states.find(([, state]) => {
      const language = state.QueryLanguage ?? QueryLanguage ?? 'JSONPath';
      return language !== 'JSONPath' || JSONATA_FIELDS.some((field) => Object.hasOwn(state, field));
    }) ?? [];
  if (name === undefined) return;
  throw new UsageError(
    `the state ${name} uses JSONata, and the interpreter of this machine knows only JSONPath: write Parameters, ResultSelector and paths, or run the state machine on AWS`,
  );
}

/** Returns every state with its name, including those in maps and parallel branches. */
function* statesOf(value: unknown): Generator<readonly [name: string, state: z.infer<typeof State>]> {
  const { success, data } = Machine.safeParse(value);
  if (!success) return;
  for (const [name, state] of Object.entries(data.States)) {
    yield [name, state];
    const { ItemProcessor, Iterator: iterator, Branches } = state;
    for (const inner of [ItemProcessor, iterator, ...(Array.isArray(Branches) ? Branches : [])]) yield* statesOf(inner);
  }
}

function taskOf(state: string, resource: string): TaskName {
  const found = Object.entries(TASKS).find(([part]) => resource.toLowerCase().includes(part));
  if (found) return found[1];
  throw new UsageError(
    `the state ${state} runs ${resource || 'nothing'}, which is not on this machine: a task’s Resource contains createProjectTask, putProjectTask, deleteProjectTask or getProgressTask`,
  );
}
