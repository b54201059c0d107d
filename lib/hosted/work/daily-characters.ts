import * as z from 'zod/mini';
import { companyPartition } from '../../idempotency/project-item.ts';
import type { Storage, Write } from '../../storage/port.ts';
import { recordOf } from '../../storage/record.ts';

/** The schema of the record of the characters that an engine translated for a company on one day. */
const Used = recordOf({ characters: z.int() });

/** The characters that an engine translated for a company on the present day (UTC). */
export interface DailyCharacters {
  readonly used: number;
  /** When the day ends, in milliseconds since 1970. */
  readonly endsAtMs: number;
  /** Makes the write that counts more characters; refused if others were counted meanwhile. */
  readonly add: (characters: number) => Write;
}

const DAY_MS = 86_400_000;
/** How long the record of a day is kept, in milliseconds. */
const KEPT_MS = 7 * DAY_MS;

/** Reads how many characters an engine translated for a company today. */
export async function dailyCharacters(
  storage: Pick<Storage, 'read'>,
  companyId: string,
  nowMs: number,
): Promise<DailyCharacters> {
  const startedAtMs = nowMs - (nowMs % DAY_MS);
  const day = new Date(startedAtMs).toISOString().slice(0, 10);
  const key = { partition: companyPartition(companyId), sort: `characters/${day}` };
  const item = await storage.read(key);
  const record = item && Used.parse(item.data);
  const used = record?.characters ?? 0;
  return {
    used,
    endsAtMs: startedAtMs + DAY_MS,
    add(characters) {
      const content = { key, data: { ...record, characters: used + characters }, expiresAtMs: startedAtMs + KEPT_MS };
      return item ? { kind: 'replace', version: item.version, ...content } : { kind: 'insert', ...content };
    },
  };
}
