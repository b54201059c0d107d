import { LIMITS } from '../contract/limits.ts';
import { companyPartition, PROJECT_PREFIX, projectSort, unpackHead } from '../idempotency/project-item.ts';
import { projectIn } from '../service/document.ts';
import type { GivenProject, ProjectPage } from '../service/port.ts';
import type { Item } from '../storage/port.ts';
import type { Foundation } from './foundation.ts';
import { documentOfWhole } from './reading.ts';
import { readProjectRecord } from './records.ts';

/** A page of a list is no longer than a project may be: heads with large teams are megabytes each. */
const LIST_BYTES = LIMITS.bodyBytes;

/** Lists a company's projects without their segments, newest first; one at least, where there is one. */
export async function listProjects(
  { storage }: Foundation,
  companyId: string,
  { limit, after }: { readonly limit: number; readonly after?: number | undefined },
): Promise<ProjectPage> {
  const before = after === undefined ? undefined : projectSort(after);
  const range = { prefix: PROJECT_PREFIX, before, limit, maxBytes: LIST_BYTES };
  const { items, more } = await storage.list(companyPartition(companyId), range);
  const projects: GivenProject[] = [];
  let bytes = 0;
  for (const item of items) {
    const record = readProjectRecord(item);
    const head = unpackHead(record) ?? (await headInPayload(item));
    if (head) {
      bytes += Buffer.byteLength(JSON.stringify(head));
      projects.push(head);
    }
    if (bytes >= LIST_BYTES || item === items.at(-1)) {
      return { projects, ...((more || item !== items.at(-1)) && { next: record.id }) };
    }
  }
  return { projects };

  /** The head of a project whose head is too large for its item; `undefined` where it was deleted since. */
  async function headInPayload(item: Item): Promise<GivenProject | undefined> {
    const whole = await storage.readWithPayload(item);
    if (!whole) return undefined;
    const { segments: _, ...head } = projectIn(documentOfWhole(whole));
    return head;
  }
}
