import { randomUUID } from 'node:crypto';
import type { Project } from '../../../lib/contract/project-answer.ts';
import { type HostedOptions, hostedService } from '../../../lib/hosted/service.ts';
import { decodeText } from '../../../lib/service/encoded-text.ts';
import type { ProjectService } from '../../../lib/service/port.ts';
import type { ProjectDocument } from '../../../lib/service/project-document.ts';
import { openSqlite } from '../storage/folder.ts';
import { heldNow } from '../support.ts';

/** Returns a hosted service on an empty store, with a clock that stands still and no randomness. */
export function hosted(options: Partial<HostedOptions> = {}): ProjectService {
  const now = options.now ?? heldNow;
  const storage = options.storage ?? openSqlite(now);
  return hostedService({ storage, random: () => 0.5, newEventId: randomUUID, ...options, now });
}

/** Returns the text of a document. */
async function textOf({ json }: ProjectDocument): Promise<string> {
  return Buffer.from(decodeText(json)).toString();
}

/** Returns the value of a document. The test checks its content. */
export async function projectIn(document: ProjectDocument): Promise<Project> {
  return JSON.parse(await textOf(document));
}
