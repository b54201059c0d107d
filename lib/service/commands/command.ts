import * as z from 'zod/mini';
import { rule } from '../../contract/fields.ts';
import type { Receipt } from '../../contract/receipt.ts';
import type { Call, ProjectService } from '../port.ts';
import { type CreatedProject, createProject } from './create.ts';
import { type AlreadyAbsent, DELETION, DELETION_RULES, type Deletion, deleteProject } from './delete.ts';
import { readBy } from './read.ts';

/** What a line of a manifest or a webhook's mapping asks for: one of the two. The project is unchecked as yet. */
export type Command = { readonly create: unknown } | { readonly delete: Deletion };

/** What became of it: nothing that grows with the project. */
export type CommandResult = CreatedProject | Receipt | AlreadyAbsent;

const Either = z
  .strictObject({
    create: z.optional(z.unknown()),
    delete: z.optional(z.strictObject(DELETION).check(...DELETION_RULES)),
  })
  .check(
    rule<object>('required', 'A command has create or delete, and not both.', (command) => {
      return 'create' in command !== 'delete' in command;
    }),
  );

/**
 * Checks the shape of a command.
 * @throws {Problem} `invalid-parameter` with every fault
 */
export function readCommand(input: unknown): Command {
  const read = readBy(Either, input, namesAt, 'This is no command, and nothing was done.');
  return read.delete === undefined ? { create: read.create } : { delete: read.delete };
}

function namesAt(path: readonly PropertyKey[]) {
  const known = Object.keys(path.length === 0 ? Either.shape : DELETION);
  return { known, serviceOnly: [] };
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
