import * as z from 'zod/mini';
import { projectChecks } from '../contract/check-project.ts';
import { utc } from '../contract/date.ts';
import { customId, id, rule, taskId } from '../contract/fields.ts';
import { fieldsOf } from '../contract/pointer.ts';
import { Problem } from '../contract/problem.ts';
import type { CheckedProject } from '../contract/project.ts';
import type { Receipt } from '../contract/receipt.ts';
import { faultsOf, type NamesAt } from '../contract/schema-faults.ts';
import type { CallContext, DeletionScope, ProjectChanges, ProjectRef } from './port.ts';
import { inTurns } from './turn.ts';

/** A command that a manifest line contains or a webhook mapping returns. The project in `create` is not checked yet. */
export type Command = { readonly create: unknown } | { readonly delete: Deletion };

/** The result of a command. Its size does not depend on the size of the project. */
export type CommandResult = CreatedProject | Receipt | AlreadyAbsent;

/** The result of a creation. */
export interface CreatedProject {
  readonly projectId: number;
  /** The number of segments; null if the upstream service does not show them. */
  readonly segments: number | null;
  /** The number of target languages; null if the upstream service does not show them. */
  readonly targetLanguages: number | null;
}

/**
 * The result of a deletion whose project or task does not exist. An earlier attempt or another client may have deleted
 * it.
 */
export interface AlreadyAbsent {
  readonly scope: Receipt['scope'];
  readonly outcome: 'already-absent';
}

/** The fields by which a command names its project. */
export const NAMED = { projectId: z.optional(id()), customId: z.optional(customId()) } as const;

/** The rule that a command names one project. */
export const NAMED_RULE = rule<z.infer<z.ZodMiniObject<typeof NAMED>>>(
  'required',
  'Name the project by projectId or by customId, but not by both.',
  ({ projectId, customId }) => (projectId === undefined) !== (customId === undefined),
  ['projectId'],
);

/**
 * The fields of a deletion. The scope is required, so that a lost task id never leads to the deletion of a whole
 * project.
 */
export const DELETION = {
  scope: z.enum(['project', 'task']),
  ...NAMED,
  taskId: z.optional(taskId()),
} as const;

/** The project or task that a command deletes. */
type Deletion = Readonly<z.infer<z.ZodMiniObject<typeof DELETION>>>;

/** The rules about fields of a deletion that require or exclude each other. */
export const DELETION_RULES = [
  NAMED_RULE,
  rule<Deletion>(
    'required',
    'If scope is task, taskId is required. If scope is project, leave taskId out.',
    ({ scope, taskId }) => (scope === 'task') === (taskId !== undefined),
    ['taskId'],
  ),
] as const;

/** The fields of a command, as zod schemas. */
export const COMMAND = {
  create: z.optional(z.unknown()),
  delete: z.optional(z.strictObject(DELETION).check(...DELETION_RULES)),
} as const;

/** The rule that a command has exactly one of its fields. */
export const COMMAND_RULE = rule<object>(
  'required',
  'A command must have either create or delete, but not both.',
  (command) => {
    return 'create' in command !== 'delete' in command;
  },
);

const CommandSchema = z.strictObject(COMMAND).check(COMMAND_RULE);

/**
 * Parses a command. Does not check the project in `create`.
 * @throws {Problem} `invalid-parameter` with every fault
 */
export function readCommand(input: unknown): Command {
  return commandIn(parseInput(CommandSchema, input, commandFieldNames, 'The command is invalid. Segue did nothing.'));
}

/** Makes a command from parsed fields. */
export function commandIn(read: z.infer<typeof CommandSchema>): Command {
  return read.delete === undefined ? { create: read.create } : { delete: read.delete };
}

/** Returns the accepted field names of the object at a path of a command, to suggest a name for an unknown field. */
export function commandFieldNames(path: readonly PropertyKey[]) {
  const known = Object.keys(path.length === 0 ? COMMAND : DELETION);
  return { known, serviceOnly: [] };
}

/**
 * Parses the input of a command or of a workflow task.
 * @param detail the text of the problem if the input is invalid
 * @throws {Problem} `invalid-parameter` with every fault
 */
export function parseInput<T>(schema: z.ZodMiniType<T>, input: unknown, namesAt: NamesAt, detail: string): T {
  const read = schema.safeParse(input);
  if (read.success) return read.data;
  const errors = [...faultsOf(read.error.issues, input, [], namesAt)];
  throw new Problem('invalid-parameter', { detail, errors });
}

/**
 * Checks whether a command could run, without running it. Does not check whether the project to delete exists.
 * @throws {Problem} the problems of `runCommand`
 */
export async function checkCommand(
  service: ProjectChanges,
  command: Command,
  call: CallContext,
  nowMs: number,
): Promise<void> {
  if ('delete' in command) return;
  await service.validate(await inTurns(projectSteps(service, command.create, nowMs)), call);
}

/**
 * Runs a command: creates or deletes.
 * @throws {Problem} `invalid-project` or `team-without-translator` if the project breaks a rule; the problems of
 *   `create` and `delete` of the service, except `project-not-found` and `task-not-found`
 */
export function runCommand(
  service: ProjectChanges,
  command: Command,
  call: CallContext,
  nowMs: number,
): Promise<CommandResult> {
  return 'delete' in command
    ? runDeletion(service, command.delete, call)
    : runCreation(service, command.create, call, nowMs);
}

/**
 * Checks and creates the project of a command. A project without a start date starts at the time of this attempt.
 * @param project the unchecked project
 * @param nowMs the time of this attempt, in milliseconds since 1970
 * @throws {Problem} `invalid-project`, `team-without-translator`, and the problems of `create` of the service
 */
export async function runCreation(
  service: ProjectChanges,
  project: unknown,
  call: CallContext,
  nowMs: number,
): Promise<CreatedProject> {
  const { id, segments, targetLanguages } = await service.create(
    await inTurns(projectSteps(service, project, nowMs)),
    call,
  );
  return { projectId: id, segments, targetLanguages };
}

/**
 * Checks the project of a command, in steps, against the rules that need only the project. Sets a missing start date to the time
 * of this attempt.
 * @param nowMs the time of this attempt, in milliseconds since 1970
 * @throws {Problem} `invalid-project`, `team-without-translator`
 */
export function projectSteps(
  { startDateToleranceMs, allowsLoopbackEvents }: Pick<ProjectChanges, 'startDateToleranceMs' | 'allowsLoopbackEvents'>,
  project: unknown,
  nowMs: number,
): Generator<void, CheckedProject> {
  const clock = { nowMs, toleranceMs: startDateToleranceMs, allowsLoopbackEvents };
  const fields = Array.isArray(project) ? undefined : fieldsOf(project);
  if (!fields || (fields['startDateUtc'] ?? null) !== null) return projectChecks(project, clock);
  return projectChecks({ ...fields, startDateUtc: utc(nowMs) }, { ...clock, isStamped: true });
}

/**
 * Deletes the project or task of a command. Returns `already-absent` if the project or task does not exist.
 * @throws {Problem} the problems of `delete` of the service, except `project-not-found` and `task-not-found`
 */
export async function runDeletion(
  service: ProjectChanges,
  { scope, taskId, ...named }: Deletion,
  call: CallContext,
): Promise<Receipt | AlreadyAbsent> {
  const target: DeletionScope = taskId === undefined ? { kind: 'project' } : { kind: 'task', taskId };
  try {
    return await service.delete(refOf(named), target, call);
  } catch (error) {
    const isAbsent = error instanceof Problem && ['project-not-found', 'task-not-found'].includes(error.name);
    if (isAbsent) return { scope, outcome: 'already-absent' };
    throw error;
  }
}

/** Returns the reference to the project that a checked command names by its id or custom id. */
export function refOf({ projectId, customId }: Pick<Deletion, 'projectId' | 'customId'>): ProjectRef {
  if (projectId !== undefined) return { id: projectId };
  if (customId !== undefined) return { customId };
  throw new TypeError('A checked command names its project');
}
