import * as z from 'zod/mini';
import { PublishedProject } from '../contract/published-answer.ts';
import type { ServiceProject } from '../service/port.ts';

/** A project whose fields have the types of the API description. */
export type DocumentedProject = PublishedProject;

const Given = z.looseObject({ id: z.int(), customId: z.optional(z.string()) });

/** Whether a value is a project of Segue. It keeps its fields in the order in which they came. */
export function isGivenProject(value: unknown): value is ServiceProject {
  return Given.safeParse(value).success;
}

/** Whether every field of a project has the type that the API description gives it. */
export function hasDocumentedTypes(project: ServiceProject): project is DocumentedProject {
  return PublishedProject.safeParse(project).success;
}
