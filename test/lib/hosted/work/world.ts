import assert from 'node:assert/strict';
import type { EventData } from '../../../../lib/contract/event.ts';
import type { DueWorker } from '../../../../lib/deliveries/due-worker.ts';
import type { JobRef } from '../../../../lib/deliveries/jobs.ts';
import { contentReader } from '../../../../lib/hosted/translation/content-reader.ts';
import { translateSegments } from '../../../../lib/hosted/translation/translate-segments.ts';
import { jobWorker } from '../../../../lib/hosted/work/job-worker.ts';
import type { TranslationDeps } from '../../../../lib/hosted/work/translate-language.ts';
import { readOutboxRecord } from '../../../../lib/records/feed-record.ts';
import type { CallContext, SegmentsQuery } from '../../../../lib/service/port.ts';
import type { EngineFailureCode, TextResult, TranslationEngine } from '../../../../lib/service/translation-engine.ts';
import type { Batch, Storage } from '../../../../lib/storage/port.ts';
import { storeWith } from '../../../faults/faulty.ts';
import { MemoryStorage } from '../../../support/memory-storage.ts';
import { asObjects, type JsonObject } from '../../../support/projects.ts';
import { contentOf, TestWorld, textOf } from '../../../support/world.ts';
import { callContext, checked } from '../../support.ts';

/** Does something before each commit of the worker. */
export function beforeCommit(world: WorkWorld, work: (batch: Batch) => unknown): void {
  world.workerStorage = storeWith(world.storage, {
    async commit(batch) {
      await work(batch);
      return world.storage.commit(batch);
    },
  });
}

/** An engine that writes the target language before each text. */
export const prefixing: TranslationDeps['translate'] = async ({ target, texts }) => ({
  results: texts.map((text) => translated(`${target}: ${text}`)),
  usedCharacters: texts.join('').length,
});

/** Sends texts to an engine, whose calls have no time limit of their own. */
export function through(engine: TranslationEngine): TranslationDeps['translate'] {
  const reader = contentReader();
  return (request) => translateSegments(engine, reader, { ...request, timer: () => new Promise(() => {}) });
}

/** Returns the result of a text that an engine translated. */
export function translated(text: string): TextResult {
  return { kind: 'translated', text };
}

/** A translation, as `GET …/segments` shows it. */
export interface ShownTranslation {
  readonly id: number | null;
  readonly languageCode: string;
  readonly content: string | null;
  readonly status: string;
  readonly version: number;
  readonly problem?: string;
}

/** An entry of `GET …/segments`. */
export interface ShownSegment {
  readonly source: { readonly id: number; readonly content: string; readonly taskId?: string };
  readonly translations: readonly ShownTranslation[];
}

/** The deadline of a run of the worker. */
const RUN_MS = 60_000;

/** A hosted service with its worker, on a store in memory. */
export class WorkWorld extends TestWorld {
  readonly storage = new MemoryStorage();
  readonly failures: unknown[] = [];
  /** Why the translations of languages have failed for good. */
  readonly failed: EngineFailureCode[] = [];
  /** The store of the worker. A test may replace it by one that fails. */
  workerStorage: Storage = this.storage;
  translate: TranslationDeps['translate'] = prefixing;
  charactersPerDay: number | undefined;
  /** The company's own limit of characters. */
  ownCharactersPerDay: number | undefined;
  readonly service = this.hosted();

  deps(): TranslationDeps {
    const { workerStorage: storage, now, sleep, translate, charactersPerDay, ownCharactersPerDay, newEventId } = this;
    const onFailed: TranslationDeps['onFailed'] = ({ failure: { code } }) => void this.failed.push(code);
    const charactersPerDayOf = async () => ownCharactersPerDay;
    return { storage, now, sleep, translate, charactersPerDay, charactersPerDayOf, onFailed, newEventId };
  }

  worker(): DueWorker<JobRef> {
    return jobWorker({
      ...this.deps(),
      onAttempt: (_, { error }) => void (error !== undefined && this.failures.push(error)),
    });
  }

  /** Runs all jobs that are due. */
  async work(): Promise<void> {
    const endsAtMs = this.nowMs + RUN_MS;
    await this.worker().workOnDue({ remainingMs: () => endsAtMs - this.nowMs });
  }

  /** Runs jobs until no job is left, and moves the clock to the next job in between. */
  async workUntilDone(): Promise<void> {
    for (let runs = 0; this.jobs().length > 0; runs++) {
      assert(runs < 50, 'The jobs never end');
      await this.work();
      this.nowMs = Math.max(this.nowMs, ...this.jobs());
    }
  }

  /** Returns when each job is due, in milliseconds since 1970. */
  jobs(): number[] {
    return this.storage
      .all()
      .flatMap(({ partition, sort }) => (partition.startsWith('jobs/') ? [Number(sort.split('/').at(-1))] : []));
  }

  /** Returns how many characters were reserved on each day, by the date. */
  reserved(): Readonly<Record<string, unknown>> {
    const items = this.storage.all().filter(({ sort }) => sort.startsWith('characters/'));
    return Object.fromEntries(
      items.map(({ sort, data }) => [sort.slice('characters/'.length), Object(data).characters]),
    );
  }

  /** Returns the events of a project, in the order of their sequence numbers. */
  events(projectId: number): { readonly sequence: number; readonly type: string; readonly data: Partial<EventData> }[] {
    return this.storage
      .all()
      .flatMap(({ sort, data }) => (sort.startsWith('outbox/') ? [readOutboxRecord(data).event] : []))
      .filter(({ data }) => data.projectId === projectId)
      .map(({ sequence, type, data: { projectId: _, ...data } }) => ({ sequence, type, data }))
      .sort((one, other) => one.sequence - other.sequence);
  }

  async create(fields: JsonObject, call: CallContext = callContext()): Promise<number> {
    return (await this.service.create(checked(fields), call)).id;
  }

  async segments(id: number, query: Partial<SegmentsQuery> = {}): Promise<ShownSegment[]> {
    const page = await this.service.segments({ id }, { maxBytes: 100_000_000, isGzip: false, ...query }, callContext());
    return JSON.parse(textOf(page));
  }

  /** Returns the contents of all translations, by segment. */
  async contents(id: number): Promise<(string | null)[][]> {
    return (await this.segments(id)).map(({ translations }) => translations.map(({ content }) => content));
  }

  async progress(id: number): Promise<unknown> {
    return this.service.progress({ id }, undefined, callContext());
  }

  /** Returns the target languages of a project, as `get` shows them. */
  async languages(id: number): Promise<JsonObject[]> {
    return asObjects(contentOf(await this.service.get({ id }, undefined, callContext()))['targetLanguages']);
  }
}
