import { eventFeed } from '../../../lib/events/feed.ts';
import { outboxMover } from '../../../lib/events/outbox-mover.ts';
import { hostedService } from '../../../lib/hosted/service.ts';
import type { SegmentResult, SegmentsTranslation } from '../../../lib/hosted/translation/translate-segments.ts';
import { jobWorker } from '../../../lib/hosted/work/job-worker.ts';
import { WORK_PREFIX, WorkRecord } from '../../../lib/hosted/work/work-record.ts';
import type { EventFeed } from '../../../lib/service/event-feed.ts';
import type { CallContext, ProjectService } from '../../../lib/service/port.ts';
import { EngineFailure } from '../../../lib/service/translation-engine.ts';
import type { Batch, Storage } from '../../../lib/storage/port.ts';
import { type Random, randomFrom } from '../../../local/simulator/random.ts';
import { NOW_MS } from '../../lib/support.ts';
import { MemoryStorage } from '../../support/memory-storage.ts';
import { throughout } from '../faulty.ts';
import { engineText, History } from './history.ts';
import { type Process, Turns } from './turns.ts';

export const COMPANY = 'acme';
const REQUEST_MS = 15_000;
const RUN_MS = 20_000;
const DAY_MS = 86_400_000;
/** How long the engine takes at most, in milliseconds. */
const ENGINE_MS = 50;

/** A hosted service with its workers and its feed, on one store. Each process of it may fail or stop at any call. */
export class WorkingWorld {
  readonly random: Random;
  readonly turns: Turns;
  readonly history = new History();
  readonly store = new MemoryStorage();
  /** How often each language was completed, by project and language id: counted in the store. */
  readonly completions = new Map<string, number>();
  readonly #committed: Storage;
  #ids = 0;

  constructor(seed: number) {
    this.random = randomFrom(seed);
    this.turns = new Turns(this.random, NOW_MS);
    const { store } = this;
    this.#committed = throughout(store, (call) => call());
    this.#committed.commit = (batch) => this.#commit(batch);
  }

  service({ through }: Process): ProjectService {
    const { now } = this.turns;
    return hostedService({
      storage: throughout(this.#committed, through),
      now,
      random: this.random.next,
      newEventId: this.#newId,
      startDateToleranceMs: DAY_MS,
    });
  }

  /** Runs a worker over the jobs that are due. */
  async work({ through, sleep }: Process): Promise<void> {
    const { now } = this.turns;
    const endsAtMs = now() + RUN_MS;
    const worker = jobWorker({
      storage: throughout(this.#committed, through),
      now,
      sleep,
      newEventId: this.#newId,
      translate: async ({ texts }) => {
        await sleep(this.random.below(ENGINE_MS));
        return through(async () => this.#translate(texts));
      },
      onAttempt: () => {},
    });
    await worker.workOnDue({ remainingMs: () => endsAtMs - now() });
  }

  /** Opens the feed of events, which moves pending ones. */
  feed({ through }: Process): EventFeed {
    const store = throughout(this.#committed, through);
    const { now } = this.turns;
    return eventFeed({ store, now, move: outboxMover({ store, now, openDelivery: async () => {} }) });
  }

  call(key?: string): CallContext {
    const endsAtMs = this.turns.nowMs + REQUEST_MS;
    return {
      companyId: COMPANY,
      requestId: `request-${++this.#ids}`,
      requestedBy: { kind: 'workflow', id: null },
      deadline: { remainingMs: () => Math.max(0, endsAtMs - this.turns.nowMs) },
      idempotency: key === undefined ? undefined : { key, replayed: () => {} },
    };
  }

  newName(): string {
    return `n${++this.#ids}`;
  }

  readonly #newId = () => `event-${++this.#ids}`;

  /** Translates some of the texts, all of them, or none. */
  #translate(texts: readonly string[]): SegmentsTranslation {
    const { random } = this;
    const isFailing = this.turns.faults.fails > 0 && random.chance(0.3);
    const done = isFailing ? random.below(texts.length + 1) : texts.length;
    const results = texts.map((text, index): SegmentResult => {
      if (index >= done) return { kind: 'pending' };
      return random.chance(0.05)
        ? { kind: 'failed', reason: 'rejected' }
        : { kind: 'translated', text: engineText(text) };
    });
    const failure = isFailing ? new EngineFailure(random.pick(['busy', 'unreachable', 'rejected']), 10) : undefined;
    return { results, usedCharacters: done, ...(failure && { failure }) };
  }

  /** Commits a batch, and counts the languages that it completes. */
  async #commit(batch: Batch) {
    const works = batch.writes.flatMap((write) =>
      write.kind === 'replace' && write.key.sort.startsWith(WORK_PREFIX) ? [write] : [],
    );
    const before = works.map(({ key }) => this.store.peek(key));
    const result = await this.store.commit(batch);
    if (!result.ok) return result;
    for (const [n, { key, data }] of works.entries()) {
      const was = WorkRecord.parse(before[n]?.data).languages;
      for (const [index, { languageId, isCompleted }] of WorkRecord.parse(data).languages.entries()) {
        if (!isCompleted || was[index]?.isCompleted) continue;
        const name = `${Number(key.sort.slice(WORK_PREFIX.length))}/${languageId}`;
        this.completions.set(name, (this.completions.get(name) ?? 0) + 1);
      }
    }
    return result;
  }
}
