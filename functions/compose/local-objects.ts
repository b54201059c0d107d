import * as z from 'zod/mini';
import type { ReadObject } from '../../lib/workflow/project-reference.ts';
import { objectProblems } from '../../lib/workflow/project-reference.ts';
import { objectsInFolder } from '../../lib/workflow/projects-in-folder.ts';

/** Files below a folder of one machine; none unless the folder is set. */
export const readObject: ReadObject = async (place, deadline) => {
  const { SEGUE_PROJECTS_DIR: folder } = z.object({ SEGUE_PROJECTS_DIR: z.optional(z.string()) }).parse(process.env);
  if (!folder) throw objectProblems.notReadable();
  return objectsInFolder(folder)(place, deadline);
};
