import * as z from 'zod/mini';
import { projectChecks } from '../contract/check-project.ts';
import { utc } from '../contract/date.ts';
import { customId, id, rule, taskId } from '../contract/fields.ts';
import { fieldsOf } from '../contract/pointer.ts';
import { Problem } from '../contract/problem.ts';
import type { CheckedProject } from '../contract/project.ts';
import type { Receipt } from '../contract/receipt.ts';
import { REVISION_RULE, revisionOf } from '../contract/revision.ts';
import { faultsOf, type NamesAt } from '../contract/schema-faults.ts';
import { creationCounts } from './creation-counts.ts';
import type { CallContext, DeletionScope, ProjectChanges, ProjectRef } from './port.ts';
import type { NamedProject, OutdatedPut, PutCounts, PutOutcome, PutRequest } from './put.ts';
import { requirePutScopes } from './put-scopes.ts';
import { inTurns } from './turn.ts';

/**
 * A command that a manifest line contains or a webhook mapping returns. The project in `create` or `put` is not checked
 * yet.
 */
export type Command = { readonly create: unknown } | Put | { readonly delete: Deletion };

/** A command that makes a project be what its sender says. The project has a custom id. */
export interface Put {
  readonly put: unknown;
  /** The sender's number of this version of the project. */
  readonly revision?: number | undefined;
}

/** The result of a command. Its size does not depend on the size of the project. */
export type CommandResult = CreatedProject | PutSummary | OutdatedSummary | DeletionResult;

/** The result of a deletion. */
export type DeletionResult = Receipt | AlreadyAbsent | AlreadyNewer;

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

/** What a put does, or would do. */
export interface PutEffect extends Pick<PutCounts, 'segments' | 'targetLanguages'> {
  readonly outcome: PutOutcome;
}

/** The result of a put. */
export interface PutSummary extends PutEffect, NamedProject {}

/** The result of a put that comes too late. It names the project, unless that was deleted. */
export interface OutdatedSummary extends Pick<OutdatedPut, 'outcome' | 'revision'>, Partial<NamedProject> {}

/** The result of a deletion whose revision is lower than the last one of the project. It deletes nothing. */
export interface AlreadyNewer {
  readonly scope: 'project';
  readonly outcome: 'already-newer';
}

/**
 * The schema of a revision: a whole number, or a date, which counts as its milliseconds since 1970. A revision that is
 * null is refused: a mapping that finds no revision would otherwise give up the protection against late messages.
 */
const revision = () =>
  z.pipe(
    z.unknown().check(rule('not-allowed', REVISION_RULE, (value) => revisionOf(value) !== undefined)),
    z.transform(revisionOf),
  );

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
  /** Absent if the deletion takes effect whatever the last revision of the project is. */
  revision: z.optional(revision()),
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
  rule<Deletion>(
    'exclusive-field',
    'Only the deletion of a whole project has a revision.',
    ({ scope, revision }) => scope === 'project' || revision === undefined,
    ['revision'],
  ),
] as const;

/** The fields of a put, beside its project. */
export const PUT = { revision: z.optional(revision()) } as const;

/** The fields of a command, as zod schemas. */
export const COMMAND = {
  create: z.optional(z.unknown()),
  put: z.optional(z.unknown()),
  ...PUT,
  delete: z.optional(z.strictObject(DELETION).check(...DELETION_RULES)),
} as const;

/** The fields of a command that contain a project. */
export const PROJECT_FIELDS: readonly string[] = ['create', 'put'];

/** The rules about fields of a command that require or exclude each other. */
export const COMMAND_RULES = [
  rule<object>(
    'required',
    'A command must have exactly one of create, put and delete.',
    (command) => [...PROJECT_FIELDS, 'delete'].filter((name) => name in command).length === 1,
  ),
  rule<object>(
    'exclusive-field',
    'Only a put has a revision beside it. Write the revision of a deletion inside delete.',
    (command) => !('revision' in command) || 'put' in command,
    ['revision'],
  ),
] as const;

const CommandSchema = z.strictObject(COMMAND).check(...COMMAND_RULES);

/**
 * Parses a command. Does not check the project in `create` or `put`.
 * @throws {Problem} `invalid-parameter` with every fault
 */
export function readCommand(input: unknown): Command {
  return commandIn(parseInput(CommandSchema, input, commandFieldNames, 'The command is invalid. Segue did nothing.'));
}

/** Makes a command from parsed fields. */
export function commandIn(read: z.infer<typeof CommandSchema>): Command {
  const { revision } = read;
  if (read.delete !== undefined) return { delete: read.delete };
  if ('put' in read) return { put: read.put, ...(revision !== undefined && { revision }) };
  return { create: read.create };
}

/** Returns the project of a command that has one, as the sender wrote it. */
export function projectIn(command: Command): unknown {
  if ('create' in command) return command.create;
  return 'put' in command ? command.put : undefined;
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

/** What a put would do, and how many characters an engine would get for it. */
export type PreviewedPut = PutEffect & Pick<PutCounts, 'automaticCharacters'>;

/** What a valid command would do. A deletion has neither member. */
export interface CheckedCommand {
  /** The number of characters that an engine would get for the project to create. */
  readonly create?: Pick<PutCounts, 'automaticCharacters'>;
  readonly put?: PreviewedPut | OutdatedPut;
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
): Promise<CheckedCommand> {
  if ('delete' in command) return {};
  if ('put' in command) return { put: await previewPut(service, command, call, nowMs) };
  const project = await inTurns(projectSteps(service, command.create, nowMs));
  await service.validate(project, call);
  return { create: { automaticCharacters: creationCounts(project).automaticCharacters } };
}

/**
 * Runs a command: creates, puts or deletes.
 * @throws {Problem} `invalid-project` or `team-without-translator` if the project breaks a rule; the problems of
 *   `create`, `put` and `delete` of the service, except `project-not-found`, `task-not-found` and `revision-outdated`
 */
export function runCommand(
  service: ProjectChanges,
  command: Command,
  call: CallContext,
  nowMs: number,
): Promise<CommandResult> {
  if ('delete' in command) return runDeletion(service, command.delete, call);
  return 'put' in command ? runPut(service, command, call, nowMs) : runCreation(service, command.create, call, nowMs);
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
 * Checks the project of a command, and makes the project with its custom id be that. A new project without a start date
 * starts at the time of this attempt.
 * @param nowMs the time of this attempt, in milliseconds since 1970
 * @throws {Problem} `invalid-project`, `team-without-translator`, and the problems of `put` of the service
 */
export async function runPut(
  service: ProjectChanges,
  command: Put,
  call: CallContext,
  nowMs: number,
): Promise<PutSummary | OutdatedSummary> {
  const result = await service.put(await putRequestOf(service, command, nowMs), call);
  if (result.outcome === 'outdated') {
    const { project, outcome, revision } = result;
    return { ...project, outcome, revision };
  }
  const { projectId, customId, outcome, segments, targetLanguages } = result;
  return { projectId, customId, outcome, segments, targetLanguages };
}

/** The part of a service by which a project is checked. */
type ProjectChecks = Pick<ProjectChanges, 'startDateToleranceMs' | 'allowsLoopbackEvents'>;
/** The part of a service that says what a put would do. */
export type Planning = ProjectChecks & Pick<ProjectChanges, 'planPut'>;

/**
 * Checks the project of a put, and returns what the put would do now. Changes nothing.
 * @param nowMs the time of this attempt, in milliseconds since 1970
 * @throws {Problem} `invalid-project`, `team-without-translator`, and the problems of `planPut` of the service
 * @throws {Problem} `scope-missing` if the caller may not do what the put would do
 */
export async function previewPut(
  service: Planning,
  command: Put,
  call: CallContext,
  nowMs: number,
): Promise<PreviewedPut | OutdatedPut> {
  const plan = await service.planPut(await putRequestOf(service, command, nowMs), call);
  if (plan.outcome === 'outdated') return { outcome: plan.outcome, revision: plan.revision };
  requirePutScopes(call.scopes, plan);
  const { outcome, segments, targetLanguages, automaticCharacters } = plan;
  return { outcome, segments, targetLanguages, automaticCharacters };
}

async function putRequestOf(service: ProjectChecks, { put, revision }: Put, nowMs: number): Promise<PutRequest> {
  const project = await inTurns(projectSteps(service, put, nowMs, { isPut: true }));
  return { ref: refOf(project), project, revision };
}

/**
 * Checks the project of a command, in steps, against the rules that need only the project. Sets a missing start date to the time
 * of this attempt.
 * @param nowMs the time of this attempt, in milliseconds since 1970
 * @param options.isPut whether the project is to be put: then it must have a custom id, which names it
 * @throws {Problem} `invalid-project`, `team-without-translator`
 */
export function projectSteps(
  { startDateToleranceMs, allowsLoopbackEvents }: ProjectChecks,
  project: unknown,
  nowMs: number,
  { isPut = false } = {},
): Generator<void, CheckedProject> {
  const rules = { nowMs, toleranceMs: startDateToleranceMs, allowsLoopbackEvents, isPut, requiresCustomId: isPut };
  const fields = Array.isArray(project) ? undefined : fieldsOf(project);
  if (!fields || (fields['startDateUtc'] ?? null) !== null) return projectChecks(project, rules);
  return projectChecks({ ...fields, startDateUtc: utc(nowMs) }, { ...rules, isStamped: true });
}

/**
 * Deletes the project or task of a command. Returns `already-absent` if the project or task does not exist, and
 * `already-newer` if the project has a higher revision.
 * @throws {Problem} the problems of `delete` of the service, except `project-not-found`, `task-not-found` and
 *   `revision-outdated`
 */
export async function runDeletion(
  service: ProjectChanges,
  { scope, taskId, revision, ...named }: Deletion,
  call: CallContext,
): Promise<DeletionResult> {
  const target: DeletionScope = taskId === undefined ? { kind: 'project', revision } : { kind: 'task', taskId };
  try {
    return await service.delete(refOf(named), target, call);
  } catch (error) {
    const name = error instanceof Problem ? error.name : undefined;
    if (name === 'project-not-found' || name === 'task-not-found') return { scope, outcome: 'already-absent' };
    if (name === 'revision-outdated') return { scope: 'project', outcome: 'already-newer' };
    throw error;
  }
}

/** Returns the reference to the project that a checked command names by its id or custom id. */
export function refOf({ projectId, customId }: Partial<Pick<Deletion, 'projectId' | 'customId'>>): ProjectRef {
  if (projectId !== undefined) return { id: projectId };
  if (customId !== undefined) return { customId };
  throw new TypeError('A checked command names its project');
}
