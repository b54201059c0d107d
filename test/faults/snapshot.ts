import { gunzipSync } from 'node:zlib';
import * as z from 'zod/mini';
import { decodeText, type ProjectDocument } from '../../lib/service/document.ts';
import { Sweeper } from '../../lib/storage/sqlite/sweeper.ts';
import { endingOf, type World } from './world.ts';

const ItemRow = z.strictObject({
  sort: z.string(),
  version: z.int(),
  data: z.string(),
  expires_at_ms: z.nullable(z.int()),
});
const PayloadRow = z.strictObject({ id: z.string(), bytes: z.instanceof(Uint8Array) });

/**
 * Everything the store has of a company once it is swept, and everything its service tells of it, as text. What may
 * differ between two runs of the same requests is left out: moments, the first project's id, names of payloads, and of
 * the records of requests how many attempts there were.
 */
export async function snapshotOf(world: World, companyId: string): Promise<string> {
  new Sweeper(world.database, world.now).finish();
  const items = world.database
    .prepare('SELECT sort, version, data, expires_at_ms FROM items WHERE partition = ? ORDER BY sort')
    .all(`company/${companyId}`)
    .map((row) => ItemRow.parse(row))
    .map(({ sort, version, data, expires_at_ms }) => {
      const isRequest = sort.startsWith('request/');
      const known: unknown = JSON.parse(data);
      return { sort, ...(!isRequest && { version }), data: known, expires: expires_at_ms !== null };
    });
  const payloads = payloadsOf(world, companyId).map(({ id, bytes }) => ({ id, text: textIn(bytes) }));
  const told = await toldOf(world, companyId);
  return comparable(JSON.stringify({ items, payloads, told }, undefined, 1), companyId);
}

/** The payloads that the store has of a company. */
export function payloadsOf({ database }: World, companyId: string): z.infer<typeof PayloadRow>[] {
  return database
    .prepare('SELECT id, bytes FROM payloads WHERE id >= ? AND id < ? ORDER BY id')
    .all(`company/${companyId}/`, `company/${companyId}0`)
    .map((row) => PayloadRow.parse(row));
}

/** How many payloads the store has of a company, without those that are to be swept. */
export function keptPayloadsOf({ database }: World, companyId: string): number {
  const sql = 'SELECT count(*) AS count FROM payloads WHERE id >= ? AND id < ? AND id NOT IN (SELECT id FROM dropped)';
  return Number(database.prepare(sql).get(`company/${companyId}/`, `company/${companyId}0`)?.['count']);
}

/** The text of a document. */
export function textOf({ json }: ProjectDocument): string {
  return Buffer.from(decodeText(json)).toString();
}

/** A text in which only what must be the same in two runs is left. */
export function comparable(text: string, companyId: string): string {
  const ids = [...text.matchAll(ID)].map(([id]) => Number(id)).sort((a, b) => a - b);
  // Ids that a project takes stand together, and a moment later they are far from these.
  const firsts = ids.filter((id, index) => id - (ids[index - 1] ?? 0) > 1_000);
  const name = (id: number) => {
    const project = firsts.findLastIndex((first) => first <= id);
    return `<id ${project}.${id - (firsts[project] ?? 0)}>`;
  };
  return text
    .replaceAll(ID, (id) => name(Number(id)))
    .replaceAll(companyId, '<company>')
    .replaceAll(/payload-\d+/g, '<payload>')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '<moment>')
    .replaceAll(/("leaseEndsAtMs": )\d+/g, '$1<moment>');
}

/** Ids have 15 digits for many years, and are padded to 16 where they are part of a key. */
const ID = /(?<!\d)0?[1-9]\d{14}(?!\d)/g;

function textIn(bytes: Uint8Array): string {
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return Buffer.from(isGzip ? gunzipSync(bytes) : bytes).toString();
}

/** What the service answers: its list, and each project by each of its names. */
async function toldOf(world: World, companyId: string): Promise<unknown> {
  const service = world.service();
  const call = () => world.call(companyId);
  const { projects } = await service.list({ limit: 100 }, call());
  const custom = projects.flatMap(({ customId }) => (customId === undefined ? [] : [{ customId }]));
  const refs = [...projects.map(({ id }) => ({ id })), ...custom, { customId: CUSTOM_ID }];
  const read = refs.map(async (ref) => {
    const ending = await endingOf(() => service.get(ref, undefined, call()));
    return [ref, ending.is === 'refused' ? ending.problem.name : textOf(ending.value)];
  });
  return { projects, read: await Promise.all(read) };
}

/** The custom id of the project that requests here are about. */
export const CUSTOM_ID = 'ours';
