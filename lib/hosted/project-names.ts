import { languageById } from '../contract/languages.ts';
import type { Storage } from '../storage/port.ts';
import { findHead } from './read-projects.ts';

/** The names of a project, for whom its other fields are of no use. */
export interface ProjectNames {
  readonly id: number;
  readonly customId: string | null;
  readonly name: string;
  /** The code as it was sent, or that of the catalogue if only an id was sent. */
  readonly sourceLanguageCode: string | null;
}

/** Reads the names of a project; `undefined` if the project does not exist. */
export async function readProjectNames(
  storage: Storage,
  companyId: string,
  projectId: number,
): Promise<ProjectNames | undefined> {
  const head = await findHead({ storage }, companyId, projectId);
  if (!head) return undefined;
  const { id, customId = null, name, sourceLanguageId, sourceLanguageCode } = head;
  const code = sourceLanguageCode ?? languageById(sourceLanguageId)?.langCode ?? null;
  return { id, customId, name, sourceLanguageCode: code };
}
