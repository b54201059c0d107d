import * as z from 'zod/mini';
import type { Tool } from './tools.ts';

/** The parts of a project that say who translates it. */
const Staffed = z.looseObject({
  targetLanguages: z.array(z.looseObject({ team: z.optional(z.nullable(z.array(z.unknown()))) })),
});

/** The fields of a target language that ask somebody to work on it. */
const SERVICES = ['serviceAutomaticTranslation', 'serviceTranslation', 'serviceProofreading', 'managedProject'];

const NOBODY =
  'No target language asks for a service or has a team, so nobody will translate this project, and its progress stays at 0. For automatic translation, set serviceAutomaticTranslation to true in each target language. Otherwise tell the user.';

/** Returns what an agent should know about a call that was right, in sentences. */
export function toolNotes({ places }: Tool, args: Readonly<Record<string, unknown>>): string[] {
  // A put of a task keeps the languages.
  if (!places.has('project') || 'taskId' in args) return [];
  const project = Staffed.safeParse(args['project']).data;
  const isStaffed = project?.targetLanguages.some(
    ({ team, ...language }) => (team ?? []).length > 0 || SERVICES.some((service) => language[service] === true),
  );
  return isStaffed === false ? [NOBODY] : [];
}
