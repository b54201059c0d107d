import * as z from 'zod/mini';
import { failures } from '../../lib/workflow/payloads/failures.ts';
import { objectsInFolder } from '../../lib/workflow/payloads/folder.ts';
import type { ReadObject } from '../../lib/workflow/payloads/port.ts';

/** Files below a folder of one machine; none unless the folder is set. */
export const readObject: ReadObject = async (place, deadline) => {
  const { SEGUE_PROJECTS_DIR: folder } = z.object({ SEGUE_PROJECTS_DIR: z.optional(z.string()) }).parse(process.env);
  if (!folder) throw failures.noObject();
  return objectsInFolder(folder)(place, deadline);
};
