import * as z from 'zod/mini';
import { UsageError } from '../io.ts';
import { allStates, type Machine, readMachine, type State } from './interpreter/machine.ts';
import { DefinitionError } from './interpreter/state-error.ts';

/** The task functions by the part of a resource that names them. */
const TASKS = {
  createprojecttask: 'createProject',
  putprojecttask: 'putProject',
  deleteprojecttask: 'deleteProject',
  getprogresstask: 'getProgress',
  waitforprojecttask: 'waitForProject',
} as const;
export type TaskName = (typeof TASKS)[keyof typeof TASKS];

/** A state machine whose tasks are all functions of Segue. */
export interface StateMachineFile {
  readonly name: string;
  readonly machine: Machine;
}

const Fields = z.record(z.string(), z.unknown());
const Template = z.looseObject({
  Resources: z.record(z.string(), z.looseObject({ Type: z.string(), Properties: z.optional(Fields) })),
});
const Definition = z.looseObject({ StartAt: z.string(), States: Fields });

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
 * @throws {CliError} if there is no definition, it is invalid, or a task is not one of Segue
 */
export function readStateMachine(value: unknown, { name, machine, references }: Reading): StateMachineFile {
  const template = Template.safeParse(value);
  const found = template.success ? machineIn(template.data, machine, references) : { name, definition: value };
  if (!Definition.safeParse(found.definition).success)
    throw new UsageError('the file has no definition in the Amazon States Language');
  const read = readDefinition(found.definition);
  for (const { name: state, task, fields } of allStates(read)) {
    if (task) requireFixedCompany(state, fields);
    if (task?.function !== undefined) taskOf(state, task.function);
    else if (task) throw new UsageError(`the state ${state} must name its function as text in FunctionName`);
  }
  return { name: found.name, machine: read };
}

/** @throws {CliError} if the input of an execution can choose the company of a task */
function requireFixedCompany(state: string, { Parameters, Arguments }: State['fields']): void {
  const sent = Object(Parameters ?? Arguments);
  for (const command of [sent, Object(sent.Payload)]) {
    const { companyId } = command;
    if (!('companyId.$' in command) && !(typeof companyId === 'string' && companyId.includes('{%'))) continue;
    throw new UsageError(
      `the state ${state} reads companyId from its input, so whoever starts an execution could choose the company: write the company’s id as literal text`,
    );
  }
}

function readDefinition(definition: unknown): Machine {
  try {
    return readMachine(definition);
  } catch (cause) {
    throw cause instanceof DefinitionError
      ? new UsageError(`the definition is invalid: ${cause.message}`, { cause })
      : cause;
  }
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
  return references.get(id) ?? (id === 'AWS::Partition' ? 'aws' : id.replaceAll(/[^\w:-]/g, '-'));
}

/** Returns the task function that a resource names. @throws {CliError} if it is not one of Segue */
export function taskOf(state: string, resource: string): TaskName {
  const found = Object.entries(TASKS).find(([part]) => resource.toLowerCase().includes(part));
  if (found) return found[1];
  throw new UsageError(
    `the state ${state} runs ${resource || 'nothing'}, which is not on this machine: a task’s Resource contains createProjectTask, putProjectTask, deleteProjectTask, getProgressTask or waitForProjectTask`,
  );
}
