import * as z from 'zod/mini';
import { rule } from '../../contract/fields.ts';
import type { Receipt } from '../../contract/receipt.ts';
import type { Call, ProjectService } from '../port.ts';
import { type CreatedProject, createProject, readProject } from './create.ts';
import { type AlreadyAbsent, DELETION, DELETION_RULES, type Deletion, deleteProject } from './delete.ts';
import { readBy } from './read.ts';

/** What a line of a manifest or a webhook's mapping asks for: one of the two. The project is unchecked as yet. */
export type Command = { readonly create: unknown } | { readonly delete: Deletion };

/** What became of it: nothing that grows with the project. */
export type CommandResult = CreatedProject | Receipt | AlreadyAbsent;

/** The fields of a command. */
export const COMMAND = {
  create: z.optional(z.unknown()),
  delete: z.optional(z.strictObject(DELETION).check(...DELETION_RULES)),
} as const;

export const COMMAND_RULE = rule<object>('required', 'A command has create or delete, and not both.', (command) => {
  return 'create' in command !== 'delete' in command;
});

const Either = z.strictObject(COMMAND).check(COMMAND_RULE);

/**
 * Checks the shape of a command.
 * @throws {Problem} `invalid-parameter` with every fault
 */
export function readCommand(input: unknown): Command {
  return commandIn(readBy(Either, input, namesAtCommand, 'This is no command, and nothing was done.'));
}

/** The command of an object whose shape was checked. */
export function commandIn(read: z.infer<typeof Either>): Command {
  return read.delete === undefined ? { create: read.create } : { delete: read.delete };
}

/** The field names at a place of a command. */
export function namesAtCommand(path: readonly PropertyKey[]) {
  const known = Object.keys(path.length === 0 ? COMMAND : DELETION);
  return { known, serviceOnly: [] };
}

/**
 * Checks a command completely, and changes nothing. Of a deletion only the command is checked: deleting what is
 * already gone is no failure.
 * @throws {Problem} as `carryOut`
 */
export async function checkCommand(
  service: ProjectService,
  command: Command,
  call: Call,
  nowMs: number,
): Promise<void> {
  if ('delete' in command) return;
  await service.validate(readProject(service, command.create, nowMs), call);
}

/**
 * Does what a command asks for.
 * @throws {Problem} as the service does; `invalid-project`, `team-without-translator` where the project breaks a rule
 */
export function carryOut(service: ProjectService, command: Command, call: Call, nowMs: number): Promise<CommandResult> {
  return 'delete' in command
    ? deleteProject(service, command.delete, call)
    : createProject(service, command.create, call, nowMs);
}
