import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openSigningKeysFile } from '../../../lib/credentials/secret-files.ts';
import { readOutboxRecord } from '../../../lib/records/feed-record.ts';
import { eventsPartition, OUTBOX_PREFIX } from '../../../lib/records/outbox.ts';
import { openSqlite } from '../../../test/lib/storage/folder.ts';
import { callContext } from '../../../test/lib/support.ts';
import { gatewayHere } from '../../../test/support/gateway-here.ts';
import { type JsonObject, smallProject } from '../../../test/support/projects.ts';
import { hosted } from '../../../test/support/world.ts';

/** Opens a gateway on a data folder as `npm start` does, in this process and with a clock that the test moves. */
export async function openGateway(folder: string) {
  const clock = { nowMs: Date.now() };
  const now = () => clock.nowMs;
  const store = openSqlite(now, folder);
  const gateway = gatewayHere({ store, secret: openSigningKeysFile(folder), now });
  const port = await gateway.listen(0);
  onTestFinished(() => gateway.close());
  return { clock, url: `http://127.0.0.1:${port}` };
}

/** Returns the command that creates a small project. It has no start date: each attempt sets one. */
export function creation(fields: JsonObject = {}) {
  const { startDateUtc: _, ...project } = smallProject(fields);
  return { create: project };
}

/**
 * Writes a manifest of JSON Lines.
 * @returns its path
 */
export function writeLines(folder: string, lines: readonly unknown[], name = 'manifest.jsonl'): string {
  const path = join(folder, name);
  writeFileSync(path, lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''));
  return path;
}

/** Returns the names of a company's projects. */
export async function namesIn(folder: string, companyId = 'sandbox'): Promise<string[]> {
  const names: string[] = [];
  const service = hosted({ storage: openSqlite(Date.now, folder) });
  for (let after: number | undefined; ; ) {
    const page = await service.list({ limit: 100, after }, callContext(companyId));
    names.push(...page.projects.map(({ name }) => String(name)));
    if (page.next === undefined) return names.sort();
    after = page.next;
  }
}

/** Returns the type and the number of each event of a company, by project, that is not in the feed yet. */
export async function eventsIn(folder: string, companyId: string): Promise<[string, number][]> {
  const range = { prefix: OUTBOX_PREFIX, limit: 100, maxBytes: 1_000_000 };
  const { items } = await openSqlite(Date.now, folder).list(eventsPartition(companyId), range);
  return items.map(({ data }) => readOutboxRecord(data).event).map(({ type, sequence }) => [type, sequence]);
}

/** Returns the line with the counts of a run. */
export const summary = (stdout: string) => stdout.split('\n')[0];
