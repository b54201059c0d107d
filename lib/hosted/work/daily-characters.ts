import * as z from 'zod/mini';
import { companyPartition } from '../../records/keys.ts';
import { type CharacterBudget, EngineFailure } from '../../service/translation-engine.ts';
import type { ItemReader, Key, Storage, Write } from '../../storage/port.ts';
import { recordOf } from '../../storage/record.ts';

/** The schema of the record of the characters that were reserved for calls of an engine for a company on one day. */
const Reserved = recordOf(() => ({
  characters: z.int(),
  /** How many of them belong to runs that have not ended, and may give some back. */
  held: z.optional(z.int()),
  /** When the last of these runs has ended or died, in milliseconds since 1970. */
  heldUntilMs: z.optional(z.number()),
}));

/** The characters of a company for one run of a job. */
export interface DailyCharacters extends CharacterBudget {
  /** Gives back what the run has reserved and not used. */
  readonly release: () => Promise<void>;
}

const DAY_MS = 86_400_000;
/** How long the record of a day is kept, in milliseconds. */
const KEPT_MS = 7 * DAY_MS;
/**
 * The most characters to reserve ahead of the calls that need them, so that many calls need one commit. If the process
 * dies, they stay counted.
 */
const MAX_AHEAD = 50_000;
/** The part of the rest of the day that a run may reserve ahead, so that it leaves the rest to other runs. */
const SHARE_AHEAD = 1 / 8;
/** Longer than any run, in milliseconds. */
const LONGEST_RUN_MS = 600_000;
/** The pause before the next look at the day if other runs may still give characters back, in milliseconds. */
const LOOK_AGAIN_MS = 60_000;

/**
 * Reserves characters of the day (UTC) for calls of an engine. They are counted durably before a call is made, so a
 * process that dies during a call has counted it.
 * @param perDay how many characters the engine may translate for the company on one day
 */
export function dailyCharacters(
  { storage, now }: { readonly storage: Pick<Storage, 'read' | 'commit'>; readonly now: () => number },
  companyId: string,
  perDay: number,
): DailyCharacters {
  let dayMs = 0;
  let ahead = 0;
  /** What this run has reserved of the day. */
  let own = 0;
  let last: Promise<unknown> = Promise.resolve();

  /**
   * Changes the count of the day by as many characters as `change` returns for the present count, and for what other runs
   * hold of it.
   */
  async function count(change: (used: number, others: number) => number, isEnd = false): Promise<number> {
    const key = dayKey(companyId, dayMs);
    for (;;) {
      const item = await storage.read(key);
      const record = item && Reserved.parse(item.data);
      const used = record?.characters ?? 0;
      const { held: before = 0, heldUntilMs: untilMs = 0 } = record ?? {};
      const others = untilMs > now() ? Math.max(0, before - own) : 0;
      const added = change(used, others);
      const held = isEnd ? 0 : own + added;
      const heldUntilMs = isEnd ? untilMs : now() + LONGEST_RUN_MS;
      const data = { ...record, characters: used + added, held: others + held, heldUntilMs };
      const content = { key, data, expiresAtMs: dayMs + KEPT_MS };
      const write: Write = item
        ? { kind: 'replace', version: item.version, ...content }
        : { kind: 'insert', ...content };
      if (!(await storage.commit({ writes: [write] })).ok) continue;
      own = held;
      return added;
    }
  }

  async function take(characters: number): Promise<() => void> {
    const nowMs = now();
    const today = nowMs - (nowMs % DAY_MS);
    if (today !== dayMs) [dayMs, ahead, own] = [today, 0, 0];
    if (ahead < characters) {
      ahead += await count((used, others) => {
        const [missing, left] = [characters - ahead, perDay - used];
        const pauseMs = Math.min(missing > left + others ? DAY_MS : LOOK_AGAIN_MS, today + DAY_MS - nowMs);
        if (missing > left) throw new EngineFailure('limited', pauseMs);
        return Math.max(missing, Math.min(MAX_AHEAD, Math.floor(left * SHARE_AHEAD)));
      });
    }
    ahead -= characters;
    return () => {
      if (dayMs === today) ahead += characters;
    };
  }

  return {
    perDay,
    reserve(characters) {
      // One after the other, so that the calls of a run do not refuse each other's commits.
      const taken = last.then(() => take(characters));
      last = taken.catch(() => {});
      return taken;
    },
    async release() {
      const unused = ahead;
      ahead = 0;
      if (own > 0) await count(() => -unused, true);
    },
  };
}

function dayKey(companyId: string, timeMs: number): Key {
  return {
    partition: companyPartition(companyId),
    sort: `characters/${new Date(timeMs).toISOString().slice(0, 10)}`,
  };
}

/** Returns how many characters are reserved for a company today. They are counted only while there is a limit. */
export async function charactersToday(store: ItemReader, companyId: string, nowMs: number): Promise<number> {
  const item = await store.read(dayKey(companyId, nowMs));
  return item ? Reserved.parse(item.data).characters : 0;
}
