import * as z from 'zod/mini';
import { checkProject } from '../contract/check.ts';
import { utc } from '../contract/date.ts';
import { faultsOf, type NamesAt } from '../contract/faults.ts';
import { customId, id, rule, taskId } from '../contract/fields.ts';
import { fieldsOf } from '../contract/pointer.ts';
import { Problem } from '../contract/problem.ts';
import type { CheckedProject } from '../contract/project.ts';
import type { Receipt } from '../contract/receipt.ts';
import type { CallContext, DeletionScope, ProjectRef, ProjectService } from './port.ts';

/** A command of a manifest line or a webhook's mapping. The project to create is not checked yet. */
export type Command = { readonly create: unknown } | { readonly delete: Deletion };

/** The result of a command. It does not grow with the project. */
export type CommandResult = CreatedProject | Receipt | AlreadyAbsent;

export interface CreatedProject {
  readonly projectId: number;
  /** How many it has; null if another service does not show them. */
  readonly segments: number | null;
  readonly targetLanguages: number | null;
}

/** The result of a deletion whose project or task is gone already, by an earlier attempt or by another client. */
export interface AlreadyAbsent {
  readonly scope: Receipt['scope'];
  readonly outcome: 'already-absent';
}

/** The fields of a deletion. The scope is required, so that a lost task id cannot widen it to the whole project. */
export const DELETION = {
  scope: z.enum(['project', 'task']),
  projectId: z.optional(id()),
  customId: z.optional(customId()),
  taskId: z.optional(taskId()),
} as const;

/** The project, or the task of it, that a command deletes. */
type Deletion = Readonly<z.infer<z.ZodMiniObject<typeof DELETION>>>;

/** The rules between the fields of a deletion. */
export const DELETION_RULES = [
  rule<Deletion>(
    'required',
    'Name the project by projectId or by customId, and not by both.',
    ({ projectId, customId }) => (projectId === undefined) !== (customId === undefined),
    ['projectId'],
  ),
  rule<Deletion>(
    'required',
    'The scope task needs a taskId, and the scope project takes none.',
    ({ scope, taskId }) => (scope === 'task') === (taskId !== undefined),
    ['taskId'],
  ),
] as const;

/** The fields of a command. */
export const COMMAND = {
  create: z.optional(z.unknown()),
  delete: z.optional(z.strictObject(DELETION).check(...DELETION_RULES)),
} as const;

export const COMMAND_RULE = rule<object>('required', 'A command has create or delete, and not both.', (command) => {
  return 'create' in command !== 'delete' in command;
});

const CommandSchema = z.strictObject(COMMAND).check(COMMAND_RULE);

/**
 * Checks the shape of a command.
 * @throws {Problem} `invalid-parameter` with every fault
 */
export function readCommand(input: unknown): Command {
  return commandIn(parseInput(CommandSchema, input, commandFieldNames, 'This is not a command, and nothing was done.'));
}

/** Makes a command of an object whose shape was checked. */
export function commandIn(read: z.infer<typeof CommandSchema>): Command {
  return read.delete === undefined ? { create: read.create } : { delete: read.delete };
}

/** Returns the accepted field names of the object at a path of a command, to suggest the nearest one. */
export function commandFieldNames(path: readonly PropertyKey[]) {
  const known = Object.keys(path.length === 0 ? COMMAND : DELETION);
  return { known, serviceOnly: [] };
}

/**
 * Parses the input of a command or task.
 * @param detail what the input is not, and that nothing was done
 * @throws {Problem} `invalid-parameter` with every fault
 */
export function parseInput<T>(schema: z.ZodMiniType<T>, input: unknown, namesAt: NamesAt, detail: string): T {
  const read = schema.safeParse(input);
  if (read.success) return read.data;
  const errors = [...faultsOf(read.error.issues, input, [], namesAt)];
  throw new Problem('invalid-parameter', { detail, errors });
}

/**
 * Checks a command completely and changes nothing. Whether the project to delete exists is not checked.
 * @throws {Problem} as `runCommand`
 */
export async function checkCommand(
  service: ProjectService,
  command: Command,
  call: CallContext,
  nowMs: number,
): Promise<void> {
  if ('delete' in command) return;
  await service.validate(readProject(service, command.create, nowMs), call);
}

/**
 * Runs a command.
 * @throws {Problem} as the service does; `invalid-project`, `team-without-translator` if the project breaks a rule
 */
export function runCommand(
  service: ProjectService,
  command: Command,
  call: CallContext,
  nowMs: number,
): Promise<CommandResult> {
  return 'delete' in command
    ? deleteProject(service, command.delete, call)
    : createProject(service, command.create, call, nowMs);
}

/**
 * Creates the project of a command. If its start date is left out, it is the time of the attempt.
 * @param project unchecked
 * @throws {Problem} `invalid-project`, `team-without-translator`, and as `create` of the service
 */
export async function createProject(
  service: ProjectService,
  project: unknown,
  call: CallContext,
  nowMs: number,
): Promise<CreatedProject> {
  const { id, segments, targetLanguages } = await service.create(readProject(service, project, nowMs), call);
  return { projectId: id, segments, targetLanguages };
}

/**
 * Checks the project of a command by the rules that need only the command. If its start date is left out, it is the
 * time of the attempt.
 * @throws {Problem} `invalid-project`, `team-without-translator`
 */
export function readProject(
  { startDateToleranceMs }: Pick<ProjectService, 'startDateToleranceMs'>,
  project: unknown,
  nowMs: number,
): CheckedProject {
  const clock = { nowMs, toleranceMs: startDateToleranceMs };
  const fields = Array.isArray(project) ? undefined : fieldsOf(project);
  if (!fields || (fields['startDateUtc'] ?? null) !== null) return checkProject(project, clock);
  return checkProject({ ...fields, startDateUtc: utc(nowMs) }, { ...clock, isStamped: true });
}

/**
 * Deletes the project or task of a command. If it is gone already, that is a result and not a failure.
 * @throws {Problem} as `delete` of the service, but never `project-not-found` or `task-not-found`
 */
export async function deleteProject(
  service: ProjectService,
  { scope, projectId, customId, taskId }: Deletion,
  call: CallContext,
): Promise<Receipt | AlreadyAbsent> {
  const target: DeletionScope = taskId === undefined ? { kind: 'project' } : { kind: 'task', taskId };
  try {
    return await service.delete(refOf(projectId, customId), target, call);
  } catch (error) {
    const isAbsent = error instanceof Problem && ['project-not-found', 'task-not-found'].includes(error.name);
    if (isAbsent) return { scope, outcome: 'already-absent' };
    throw error;
  }
}

function refOf(projectId: number | undefined, customId: string | undefined): ProjectRef {
  if (projectId !== undefined) return { id: projectId };
  if (customId !== undefined) return { customId };
  throw new TypeError('A checked command names its project');
}
