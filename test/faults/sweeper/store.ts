import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import * as z from 'zod/mini';
import { segment } from '../../support/projects.ts';
import { bytesIn, CANARY, countIn, FIELDS, TASK, tracesOf } from '../canary.ts';
import type { SqliteWorld } from '../sqlite-world.ts';

/** Longer than tombstones and records of requests are kept. */
const LONG_MS = 40 * 86_400_000;

/** A store in which there is everything that a sweeper has to do. */
export interface Unswept {
  /** A copy of the store's files in a folder of its own. */
  copy(): string;
  /** When everything that expires has expired. */
  readonly nowMs: number;
  /** Pieces of what has to go. */
  readonly traces: readonly Buffer[];
  /** The payload that has to stay. */
  readonly payloadId: string;
}

/**
 * Makes the store: a project that was deleted, with more content than a page holds, one of which a task was, and the
 * records of both. Nobody may sweep meanwhile.
 */
export async function unswept(world: SqliteWorld): Promise<Unswept> {
  const companyId = world.newCompany();
  const service = world.service();
  const noise = Array.from({ length: 20_000 }, (_, n) => ((n * 7_919_003) % 1_000_003).toString(36)).join(' ');
  const long = { ...FIELDS, segments: [...FIELDS.segments, segment({ content: noise })] };
  const { id } = await service.create(world.project(long), world.call(companyId, 'create'));
  const stays = { customId: `${CANARY} which stays`, segments: [segment(), segment({ content: noise, taskId: TASK })] };
  const other = await service.create(world.project(stays), world.call(companyId, 'create the other'));
  const before = await world.payloads(companyId);
  await service.delete({ id }, { kind: 'project' }, world.call(companyId, 'delete'));
  await service.delete({ id: other.id }, { kind: 'task', taskId: TASK }, world.call(companyId, 'delete the task'));
  const [payload] = (await world.payloads(companyId)).filter(({ id }) => !before.some((old) => old.id === id));
  if (!payload) throw new Error('The deletion of a task writes a payload');
  const kept = Buffer.from(payload.bytes);
  const files = ['segue.db', 'segue.db-wal'].map((name) => [name, readFileSync(join(world.folder, name))] as const);
  return {
    copy() {
      const folder = mkdtempSync(join(world.folder, 'copy-'));
      for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes);
      return folder;
    },
    nowMs: world.nowMs + LONG_MS,
    traces: before.flatMap(({ bytes }) => tracesOf(bytes)).filter((trace) => !kept.includes(trace)),
    payloadId: payload.id,
  };
}

const SortRow = z.object({ sort: z.string() });
const IdRow = z.object({ id: z.string() });

/** What a store has in its rows, and how much of what has to go there is in its files. */
export function remains(database: DatabaseSync, folder: string, { traces }: Unswept) {
  const bytes = bytesIn(folder);
  return {
    items: database
      .prepare('SELECT sort FROM items')
      .all()
      .map((row) => SortRow.parse(row).sort.replace(/\/.*/, '')),
    payloads: database
      .prepare('SELECT id FROM payloads')
      .all()
      .map((row) => IdRow.parse(row).id),
    dropped: database.prepare('SELECT id FROM dropped').all(),
    traces: countIn(bytes, traces),
    canaries: [FIELDS.name, FIELDS.description, `${CANARY} person`, `${CANARY}@`].filter((text) =>
      bytes.includes(text),
    ),
  };
}
