import { describe, expect, it } from 'vitest';
import { jobHandler, jobMessage } from '../../../../lib/background/job-queue.ts';
import { checkTranslations } from '../../../../lib/contract/translations.ts';
import { readLease } from '../../../../lib/hosted/work/jobs.ts';
import { EngineFailure } from '../../../../lib/service/translation-engine.ts';
import { storeWith } from '../../../faults/faulty.ts';
import { segments } from '../../../support/projects.ts';
import { callContext } from '../../support.ts';
import { type FakeEngine, fakeEngine } from '../translation/world.ts';
import { prefixing, through, translated, WorkWorld } from './world.ts';

const GERMAN = { targetLanguageCode: 'de', serviceAutomaticTranslation: true };
const FRENCH = { targetLanguageCode: 'fr', serviceAutomaticTranslation: true };
const ITALIAN = { targetLanguageCode: 'it', serviceAutomaticTranslation: true };
const INTERRUPTED = 'Segue stopped again and again while it translated.';
const PENDING = { kind: 'pending' } as const;
const HOUR_MS = 3_600_000;

/** Does work until its process dies, or the work ends. Returns whether it died. */
async function workOrDie(world: WorkWorld, work = () => world.work()): Promise<boolean> {
  const translate = world.translate;
  const died = Promise.withResolvers<boolean>();
  world.translate = async (request) => {
    const result = await translate(request);
    if (result !== DEATH) return result;
    died.resolve(true);
    return new Promise(() => {});
  };
  const hasDied = await Promise.race([work().then(() => false), died.promise]);
  world.translate = translate;
  return hasDied;
}

/** What a translation returns if it lets the process die. */
const DEATH = { results: [], usedCharacters: 0 };

/** Runs the worker every second for some time, with a process that may die. Returns when each of them died. */
async function workFor(world: WorkWorld, ms: number): Promise<number[]> {
  const deaths: number[] = [];
  for (const endMs = world.nowMs + ms; world.nowMs < endMs && world.jobs().length > 0; world.nowMs += 1_000) {
    if (await workOrDie(world)) deaths.push(world.nowMs);
  }
  return deaths;
}

const failuresOf = async ({ storage: memory }: WorkWorld, projectId: number) =>
  (await readLease(memory, { companyId: 'acme', projectId, atMs: 0 })).data.failures;

const patch = ({ service }: WorkWorld, id: number, languageCode = 'de') =>
  service.changeLanguage({ id }, languageCode, { state: 'InProgress' }, callContext());

describe('a job whose process dies', () => {
  it('has failed after eight starts, with growing pauses, and shows why', async () => {
    const world = new WorkWorld();
    world.translate = async () => DEATH;
    const id = await world.create({ targetLanguages: [GERMAN], segments: segments(3) });
    const deaths = await workFor(world, 2 * HOUR_MS);
    expect(deaths).toHaveLength(8);
    const pauses = deaths.slice(1).map((atMs, n) => atMs - (deaths[n] ?? 0));
    expect(pauses).toEqual(pauses.toSorted((one, other) => one - other));
    expect(pauses[0]).toBeLessThan(90_000);
    expect(pauses.at(-1)).toBeGreaterThan(120_000);
    expect(world.jobs()).toEqual([]);
    const failed = { state: 'InProgress', automaticTranslation: { state: 'failed', problem: INTERRUPTED } };
    expect(await world.languages(id)).toMatchObject([failed]);
    expect(world.events(id).filter(({ type }) => type === 'translation.failed')).toHaveLength(1);
  });

  it('fails only in the languages in which it died', async () => {
    const world = new WorkWorld();
    world.translate = async (request) => (request.target === 'fr' ? prefixing(request) : DEATH);
    const id = await world.create({ targetLanguages: [GERMAN, FRENCH, ITALIAN], segments: segments(3) });
    const deaths = await workFor(world, 4 * HOUR_MS);
    // The French translation is stored, so a new series begins.
    expect(deaths).toHaveLength(2 * 8);
    const failed = { progress: 0, automaticTranslation: { state: 'failed', problem: INTERRUPTED } };
    expect(await world.languages(id)).toMatchObject([failed, { progress: 100 }, failed]);
    expect(world.jobs()).toEqual([]);
  });

  it('is tried once in each further language, if nothing is stored in between', async () => {
    const world = new WorkWorld();
    world.translate = async () => DEATH;
    const id = await world.create({ targetLanguages: [GERMAN, FRENCH, ITALIAN], segments: segments(3) });
    expect(await workFor(world, 4 * HOUR_MS)).toHaveLength(8 + 2);
    const failed = { automaticTranslation: { state: 'failed', problem: INTERRUPTED } };
    expect(await world.languages(id)).toMatchObject([failed, failed, failed]);
    expect(world.jobs()).toEqual([]);
  });

  it('counts as failed from its start, until it stores a result', async () => {
    const world = new WorkWorld();
    let isDying = true;
    world.translate = async (request) => (isDying ? DEATH : prefixing(request));
    const id = await world.create({ targetLanguages: [GERMAN], segments: segments(3) });
    for (const failures of [1, 2, 3]) {
      expect(await workOrDie(world)).toBe(true);
      expect(await failuresOf(world, id)).toBe(failures);
      world.nowMs += 1_000_000;
    }
    isDying = false;
    await world.workUntilDone();
    expect(await failuresOf(world, id)).toBe(0);
    expect(await world.languages(id)).toMatchObject([{ automaticTranslation: { state: 'done' } }]);
  });

  it('never fails for good while each start stores something', async () => {
    const world = new WorkWorld();
    let calls = 0;
    world.translate = async (request) => {
      // A pause of more than 50 ms stores the results of a chunk before the next one is translated.
      world.nowMs += 100;
      return ++calls % 2 === 0 ? DEATH : prefixing(request);
    };
    const id = await world.create({ targetLanguages: [GERMAN], segments: segments(12 * 500) });
    expect(await workFor(world, 2 * HOUR_MS)).toHaveLength(11);
    expect(await world.languages(id)).toMatchObject([{ progress: 100, automaticTranslation: { state: 'done' } }]);
  });

  it('is tried once more each time somebody starts it again', async () => {
    const world = new WorkWorld();
    world.translate = async () => DEATH;
    const id = await world.create({ targetLanguages: [GERMAN], segments: segments(1) });
    await workFor(world, 2 * HOUR_MS);
    for (let times = 0; times < 3; times++) {
      await patch(world, id);
      expect(await workFor(world, HOUR_MS)).toHaveLength(1);
      expect(world.jobs()).toEqual([]);
      expect(await world.languages(id)).toMatchObject([{ automaticTranslation: { problem: INTERRUPTED } }]);
    }
    world.translate = prefixing;
    await patch(world, id);
    await world.workUntilDone();
    expect(await world.languages(id)).toMatchObject([{ progress: 100 }]);
  });

  it('is counted in the same way if the queue delivers it', async () => {
    const world = new WorkWorld();
    world.translate = async () => DEATH;
    const id = await world.create({ targetLanguages: [GERMAN], segments: segments(1) });
    const { body } = jobMessage({ companyId: 'acme', projectId: id, atMs: world.nowMs });
    const event = { Records: [{ messageId: 'message', body }] };
    let result: unknown;
    const deliver = async () => {
      const handler = jobHandler(world.worker(), { now: world.now, log: () => {} });
      result = await handler(event, { awsRequestId: 'test', getRemainingTimeInMillis: () => 240_000 });
    };
    for (let times = 1; times <= 8; times++) {
      expect(await workOrDie(world, deliver)).toBe(true);
      expect(await failuresOf(world, id)).toBe(times);
      world.nowMs += 24 * 60_000;
    }
    expect(await workOrDie(world, deliver)).toBe(false);
    expect(result).toEqual({ batchItemFailures: [] });
    await world.workUntilDone();
    expect(world.failed).toEqual(['interrupted']);
  });

  it('still removes what was deleted, however often it died', async () => {
    const world = new WorkWorld();
    const id = await world.create({ targetLanguages: [GERMAN], segments: segments(1) });
    await world.work();
    await world.service.delete({ id }, { kind: 'project' }, callContext());
    const storage = world.workerStorage;
    for (let times = 0; times < 20; times++) {
      const died = Promise.withResolvers<void>();
      world.workerStorage = storeWith(storage, {
        list(partition, range) {
          if (!partition.startsWith('company/')) return storage.list(partition, range);
          died.resolve();
          return new Promise(() => {});
        },
      });
      await Promise.race([world.work(), died.promise]);
      world.nowMs += 1_000_000;
    }
    expect(await failuresOf(world, id)).toBe(20);
    world.workerStorage = storage;
    await world.workUntilDone();
    expect(world.storage.all().filter(({ sort }) => sort.startsWith('translation/'))).toEqual([]);
  });
});

describe('a run that ends for another reason', () => {
  it.each<[string, (world: WorkWorld, id: number) => WorkWorld['translate']]>([
    [
      'the process is stopped',
      () =>
        async ({ texts }) =>
          failing(texts, new EngineFailure('aborted')),
    ],
    [
      'the characters of the day are used up',
      () =>
        async ({ texts }) =>
          failing(texts, new EngineFailure('limited', 1_000)),
    ],
    [
      'nobody wants the translation any more',
      (world, id) => async (request) => {
        await world.service.changeLanguage({ id }, 'de', { state: 'InPreparation' }, callContext());
        return prefixing(request);
      },
    ],
  ])('does not count as failed: %s', async (_, translating) => {
    const world = new WorkWorld();
    const id = await world.create({ targetLanguages: [GERMAN], segments: segments(1) });
    world.translate = translating(world, id);
    for (let times = 0; times < 20; times++) {
      await world.work();
      expect(await failuresOf(world, id)).toBe(0);
      await patch(world, id);
      world.nowMs += 6_000;
    }
    expect(await world.languages(id)).not.toMatchObject([{ automaticTranslation: { state: 'failed' } }]);
  });
});

/** Returns the result of a translation that failed. */
function failing(texts: readonly string[], failure: EngineFailure) {
  return { results: texts.map(() => PENDING), usedCharacters: 0, failure };
}

describe('a language that somebody starts again and again', () => {
  /** Starts a language again and again, with an engine that fails. */
  async function patchFor(
    times: number,
    everyMs: number,
    failure: EngineFailure,
  ): Promise<{ engine: FakeEngine; world: WorkWorld }> {
    const engine = fakeEngine(() => Promise.reject(failure), { limits: { texts: 1 } });
    const world = new WorkWorld();
    world.translate = through(engine);
    const id = await world.create({ targetLanguages: [GERMAN], segments: segments(1) });
    for (let n = 0; n < times; n++) {
      await world.work();
      await patch(world, id);
      world.nowMs += everyMs;
    }
    return { engine, world };
  }

  it.each(['unauthorized', 'rejected', 'failed'] as const)(
    'calls an engine that answers %s as rarely as its failures allow',
    async (code) => {
      const { engine } = await patchFor(250, 100, new EngineFailure(code));
      expect(engine.received.length).toBeLessThanOrEqual(4);
      const { engine: later } = await patchFor(600, 5_000, new EngineFailure(code));
      expect(later.received.length).toBeLessThanOrEqual(8 + 3_000 / 256);
    },
  );

  it('is translated soon after the engine works again', async () => {
    const { world } = await patchFor(250, 100, new EngineFailure('unauthorized'));
    world.translate = prefixing;
    const startedAtMs = world.nowMs;
    await world.workUntilDone();
    expect(world.nowMs - startedAtMs).toBeLessThan(16_000);
  });
});

describe('the pause after a failure of the engine', () => {
  it('holds back no other work, and other work does not shorten it', async () => {
    const world = new WorkWorld();
    let calls = 0;
    world.translate = async ({ texts }) => {
      calls++;
      return failing(texts, new EngineFailure('busy', 60_000));
    };
    const id = await world.create({ targetLanguages: [GERMAN], segments: segments(2) });
    await world.work();
    const [dueMs = 0] = world.jobs();
    const [, second] = await world.segments(id);
    const entry = { segmentId: second?.source.id, languageCode: 'de', content: 'by hand', status: 'translated' };
    await world.service.writeTranslations({ id }, checkTranslations([entry]), callContext());
    await world.work();
    expect(world.storage.all().filter(({ sort }) => sort.startsWith('edit/'))).toEqual([]);
    expect(calls).toBe(1);
    expect(world.jobs()).toEqual([dueMs]);
    world.nowMs = dueMs;
    world.translate = async ({ texts }) => ({ results: texts.map(translated), usedCharacters: 0 });
    await world.work();
    expect(await world.languages(id)).toMatchObject([{ progress: 100 }]);
  });
});

describe('a large job', () => {
  it('makes way for the jobs of other companies after its turn', async () => {
    const world = new WorkWorld();
    const texts: string[] = [];
    world.translate = async (request) => {
      world.nowMs += 1_000;
      texts.push(...request.texts.slice(0, 1));
      // Another company comes when all runs that may run at once are busy.
      if (texts.length === 10) {
        await world.create({ targetLanguages: [GERMAN], segments: [{ content: 'small' }] }, callContext('e'));
      }
      return prefixing(request);
    };
    for (const company of ['a', 'b', 'c', 'd', 'a', 'b', 'c', 'd']) {
      await world.create({ targetLanguages: [GERMAN], segments: segments(20 * 500) }, callContext(company));
    }
    await world.work();
    await world.work();
    expect(texts.indexOf('small')).toBeGreaterThan(10);
    expect(texts.indexOf('small')).toBeLessThan(40);
    expect(world.failures).toEqual([]);
  });
});
