import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { allLanguages } from '../../../lib/contract/languages.ts';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { checkTranslations } from '../../../lib/contract/translations.ts';
import { LEVEL } from '../../../lib/service/encoded-text.ts';
import type { ProjectFilter, ProjectPage, ProjectsQuery } from '../../../lib/service/port.ts';
import { SEGMENT_ID_STEP } from '../../../lib/service/project-from.ts';
import { readRemovalToken, removalToken } from '../../../lib/service/removal-plan.ts';
import type { Storage } from '../../../lib/storage/port.ts';
import { type JsonObject, member } from '../../support/projects.ts';
import { callContext, checked, problemOf } from '../support.ts';
import { WorkWorld } from './work/world.ts';

const call = callContext();
const world = new WorkWorld();
const counts = { payloadBytes: 0, ranges: 0, chunks: 0, commits: 0 };

/** The store of the world, with counts of what is read from it. */
const counting: Storage = {
  read(key) {
    if (key.sort.startsWith('translation/')) counts.chunks++;
    return world.storage.read(key);
  },
  async list(partition, range) {
    const page = await world.storage.list(partition, range);
    counts.chunks += page.items.filter(({ sort }) => sort.startsWith('translation/')).length;
    return page;
  },
  async readWithPayload(key) {
    const whole = await world.storage.readWithPayload(key);
    counts.payloadBytes += whole?.bytes.length ?? 0;
    return whole;
  },
  readPayloadRange(item, range) {
    counts.payloadBytes += range.to - range.from;
    counts.ranges++;
    return world.storage.readPayloadRange(item, range);
  },
  commit(batch) {
    counts.commits++;
    return world.storage.commit(batch);
  },
};
const service = world.hosted({ storage: counting });

/** Returns what is read and written by some work. */
async function counted(work: () => Promise<unknown>): Promise<typeof counts> {
  Object.assign(counts, { payloadBytes: 0, ranges: 0, chunks: 0, commits: 0 });
  await work();
  return { ...counts };
}

function languages(count: number): JsonObject[] {
  const others = allLanguages()
    .filter(({ id }) => id !== 41)
    .slice(0, count);
  return others.map(({ id }) => ({ targetLanguageId: id }));
}

const SEGMENTS = 5_000;
const CHUNKS = SEGMENTS / 500;
let id = 0;
let payloadBytes = 0;

beforeAll(async () => {
  const segments = Array.from({ length: SEGMENTS }, (_, n) => ({ content: `text ${n}`, taskId: `task-${n}` }));
  id = await world.create({ targetLanguages: languages(40), segments });
  // One translation in each chunk of each language, so that all of them are partly translated.
  const shown = await world.segments(id);
  const entries = shown
    .filter((_, n) => n % 500 === 7)
    .flatMap(({ source, translations }) =>
      translations.map(({ languageCode }) => ({
        segmentId: source.id,
        languageCode,
        content: 'x',
        status: 'translated',
      })),
    );
  await service.writeTranslations({ id }, checkTranslations(entries), call);
  await world.workUntilDone();
  payloadBytes = (await counted(() => service.get({ id }, undefined, call))).payloadBytes;
});

describe('a whole list of projects with large teams', () => {
  const others = languages(100);
  const random = () => randomBytes(15).toString('base64');
  const team = () =>
    Array.from({ length: 20 }, (_, n) => member({ id: n + 1, name: random(), username: `${n}@x.example` }));
  const company = { ...call, companyId: 'teams' };
  const list = (whole: ProjectsQuery['whole'], filter: ProjectFilter = {}) =>
    counted(async () => {
      listed = await service.list({ limit: LIMITS.listMax, whole, ...filter }, company);
    });
  let listed: ProjectPage;

  beforeAll(async () => {
    for (let n = 0; n < 3; n++) {
      const targetLanguages = others.map((language) => ({ ...language, team: team() }));
      await service.create(checked({ customId: `${n}`, targetLanguages, endDateUtc: '2027-01-01T00:00:00Z' }), company);
    }
  });

  it('does not fit into one answer, which is known before a head is read', async () => {
    const all = { maxBytes: LIMITS.wholeListBytes, maxEncodedBytes: LIMITS.wholeListBytes };
    expect((await list(all)).payloadBytes).toBeGreaterThan(0);
    const [bytes, encodedBytes] = lengthsOf(listed.projects);
    for (const whole of [
      { ...all, maxBytes: bytes * 0.85 },
      { ...all, maxEncodedBytes: encodedBytes * 0.85 },
    ]) {
      expect((await list(whole)).payloadBytes).toBe(0);
      expect(listed).toEqual({ projects: [], isTooLarge: true });
      // Only what fits the filter counts.
      expect((await list(whole, { customIdPrefix: '1' })).payloadBytes).toBeGreaterThan(0);
      expect(listed.projects).toHaveLength(1);
    }
    await list({ maxBytes: bytes, maxEncodedBytes: encodedBytes });
    expect(listed.projects).toHaveLength(3);
  });
});

/** Returns the length of projects as JSON, before and after compression. */
function lengthsOf(projects: readonly object[]): readonly [number, number] {
  const text = JSON.stringify(projects);
  return [Buffer.byteLength(text), gzipSync(text, { level: LEVEL }).length];
}

describe('a project of many tasks and languages', () => {
  it('is never parsed or read as a whole for one task', async () => {
    const plan = await counted(() => service.removal({ id }, { kind: 'task', taskId: 'task-7' }, call));
    expect(plan).toMatchObject({ chunks: 0, commits: 0 });
    expect(plan.payloadBytes).toBeLessThan(payloadBytes / 2);
    const { payloadBytes: read, chunks } = await counted(async () => {
      const progress = await service.progress({ id }, 'task-7', call);
      expect(progress).toMatchObject({ total: 100, tasks: [{ taskId: 'task-7', total: 100 }] });
    });
    // One chunk of each language has the task.
    expect(chunks).toBe(40);
    expect(read).toBe(plan.payloadBytes);
  });

  it('has a task whose segments are in all chunks, which are then read once', async () => {
    const segments = Array.from({ length: SEGMENTS }, (_, n) => ({
      content: 'x',
      taskId: n % 2 ? 'odd' : `task-${n}`,
    }));
    const spread = await world.create({ targetLanguages: languages(2), segments });
    const [entry] = await world.segments(spread, { limit: 1 });
    const entries = (entry?.translations ?? []).flatMap(({ languageCode }) =>
      Array.from({ length: CHUNKS }, (_, chunk) => ({
        segmentId: (entry?.source.id ?? 0) + (chunk * 500 + 1) * SEGMENT_ID_STEP,
        languageCode,
        content: 'x',
        status: 'translated',
      })),
    );
    await service.writeTranslations({ id: spread }, checkTranslations(entries), call);
    await world.workUntilDone();
    expect(await counted(() => service.progress({ id: spread }, 'odd', call))).toMatchObject({ chunks: 2 * CHUNKS });
  });

  it('is not touched by a deletion whose plan is outdated, which reads as little as the plan', async () => {
    const scope = { kind: 'task', taskId: 'task-8' } as const;
    const removal = await service.removal({ id }, { kind: 'task', taskId: 'task-9' }, call);
    const planned = readRemovalToken(removalToken(removal));
    const needed = await counted(() => service.removal({ id }, scope, call));
    const outdated = await counted(async () => {
      const { name } = await problemOf(() => service.delete({ id }, scope, { ...call, planned }));
      expect(name).toBe('plan-outdated');
    });
    expect(outdated).toEqual(needed);
  });

  it('is deleted task by task with one read of the payload each, and of the chunks of the task', async () => {
    const { chunks, commits } = await counted(() => service.delete({ id }, { kind: 'task', taskId: 'task-507' }, call));
    expect({ chunks, commits }).toEqual({ chunks: 40, commits: 1 });
    expect(await service.progress({ id }, 'task-7', call)).toMatchObject({ total: 100 });
  });

  it('has few translations of a status, and no other language is read for them', async () => {
    const few = await world.create({ targetLanguages: languages(20), segments: [{ content: 'x' }, { content: 'y' }] });
    const [entry] = await world.segments(few);
    const entries = (entry?.translations ?? []).map(({ languageCode }, n) => ({
      segmentId: entry?.source.id,
      languageCode,
      content: 'x',
      status: n === 7 ? 'proofread' : 'translated',
    }));
    await service.writeTranslations({ id: few }, checkTranslations(entries), call);
    await world.workUntilDone();
    const limits = { maxBytes: LIMITS.wholeListBytes, isGzip: true };
    const { ranges } = await counted(async () => {
      expect(await service.segments({ id: few }, { status: 'proofread', ...limits }, call)).toMatchObject({ count: 1 });
    });
    // The chunk of segments, and that of one language.
    expect(ranges).toBe(2);
  });

  it.each([
    ['all segments', {}],
    ['all untranslated segments', { status: 'untranslated' }],
  ] as const)('does not fit into one answer with %s, which is known before a content is read', async (_, query) => {
    const whole = { maxEncodedBytes: Number.POSITIVE_INFINITY };
    const read = await counted(async () => {
      const limits = { maxBytes: 10_000_000, isGzip: true, whole };
      const page = await service.segments({ id }, { ...query, ...limits }, call);
      expect(page).toMatchObject({ count: 0, next: {} });
    });
    const plan = await counted(() => service.removal({ id }, { kind: 'task', taskId: 'task-1' }, call));
    // The layout of the segments is read too.
    expect(read.payloadBytes).toBeLessThan(plan.payloadBytes + 1_000);
    const fits = { maxBytes: LIMITS.wholeListBytes, isGzip: true, whole };
    expect((await service.segments({ id }, { ...query, ...fits }, call)).next).toBeUndefined();
  });
});
