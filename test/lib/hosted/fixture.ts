import type { Project } from '../../../lib/contract/answer.ts';
import { type HostedOptions, hostedService } from '../../../lib/hosted/service.ts';
import { decodeText, type ProjectDocument } from '../../../lib/service/document.ts';
import type { ProjectService } from '../../../lib/service/port.ts';
import { openSqlite } from '../storage/folder.ts';
import { NOW_MS } from '../support.ts';

/** A hosted service on an empty store, with the clock held and no randomness. */
export function hosted(options: Partial<HostedOptions> = {}): ProjectService {
  const storage = options.storage ?? openSqlite();
  return hostedService({ storage, now: () => NOW_MS, random: () => 0.5, ...options });
}

/** The text of a document. */
export async function textOf({ json }: ProjectDocument): Promise<string> {
  return Buffer.from(decodeText(json)).toString();
}

/** The value of a document. What it holds is the test's to judge. */
export async function projectIn(document: ProjectDocument): Promise<Project> {
  return JSON.parse(await textOf(document));
}
