import { eventFeed } from '../../../lib/events/feed.ts';
import { outboxMover } from '../../../lib/events/feed-positions.ts';
import { type HostedService, hostedService } from '../../../lib/hosted/service.ts';
import { jobWorker } from '../../../lib/hosted/work/job-worker.ts';
import { WORK_PREFIX, WorkRecord } from '../../../lib/hosted/work/work-record.ts';
import type { EventFeed } from '../../../lib/service/event-feed.ts';
import type { CallContext } from '../../../lib/service/port.ts';
import {
  characterCount,
  EngineFailure,
  type TextResult,
  type TranslationBatch,
  type TranslationEngine,
} from '../../../lib/service/translation-engine.ts';
import type { Batch, Storage, Write } from '../../../lib/storage/port.ts';
import { type Random, randomFrom } from '../../../packages/simulator/random.ts';
import { fakeEngine } from '../../lib/hosted/translation/world.ts';
import { through as throughEngine } from '../../lib/hosted/work/world.ts';
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
/** The limits of the characters of a day. One content of a client may have almost as many as the lower one. */
const CHARACTERS_PER_DAY = [45_000, 200_000] as const;

/** A hosted service with its workers and its feed, on one store. Each process of it may fail or stop at any call. */
export class WorkingWorld {
  readonly random: Random;
  readonly turns: Turns;
  readonly history = new History();
  readonly store = new MemoryStorage();
  /** How often each language was completed, by project and language id: counted in the store. */
  readonly completions = new Map<string, number>();
  readonly charactersPerDay: number | undefined;
  /** How many characters the engine has received. */
  received = 0;
  /** How many characters were reserved on each day. */
  readonly reserved = new Map<string, number>();
  readonly #committed: Storage;
  #ids = 0;

  constructor(seed: number) {
    this.random = randomFrom(seed);
    this.turns = new Turns(this.random, NOW_MS);
    this.charactersPerDay = this.random.chance(0.3) ? this.random.pick(CHARACTERS_PER_DAY) : undefined;
    const { store } = this;
    this.#committed = throughout(store, (call) => call());
    this.#committed.commit = (batch) => this.#commit(batch);
  }

  service({ through }: Process): HostedService {
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
      translate: throughEngine(this.#engine({ through, sleep })),
      charactersPerDay: this.charactersPerDay,
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

  /** An engine at the end of a network. Its process may stop before or after the engine has received a batch. */
  #engine({ through, sleep }: Process): TranslationEngine {
    const translate = async (batch: TranslationBatch) => {
      await sleep(this.random.below(ENGINE_MS));
      return through(async () => this.#translate(batch));
    };
    return fakeEngine(translate, { limits: { texts: 2, concurrentCalls: 2 } });
  }

  /** Translates a batch, or fails. */
  #translate({ texts }: TranslationBatch): readonly TextResult[] {
    const { random } = this;
    const failure = random.pick(FAILURES);
    const isFailing = this.turns.faults.fails > 0 && random.chance(0.1);
    if (!isFailing || !UNCHARGED.includes(failure)) this.received += characterCount(texts);
    if (isFailing) throw new EngineFailure(failure, 10);
    return texts.map((text) =>
      random.chance(0.05) ? { kind: 'failed', reason: 'rejected' } : { kind: 'translated', text: engineText(text) },
    );
  }

  /** Commits a batch, and counts the languages that it completes. */
  async #commit(batch: Batch) {
    const works = batch.writes.flatMap((write) =>
      (write.kind === 'replace' || write.kind === 'insert') && write.key.sort.startsWith(WORK_PREFIX) ? [write] : [],
    );
    const before = works.map(({ key }) => this.store.peek(key));
    const result = await this.store.commit(batch);
    if (!result.ok) return result;
    for (const write of batch.writes) this.#noteReserved(write);
    for (const [n, { key, data }] of works.entries()) {
      // A project without work record is as it was created: no language is completed.
      const was = before[n] ? WorkRecord.parse(before[n].data).languages : [];
      for (const { languageId, isCompleted } of WorkRecord.parse(data).languages) {
        const old = was.find((language) => language.languageId === languageId);
        if (!isCompleted || old?.isCompleted) continue;
        const name = `${Number(key.sort.slice(WORK_PREFIX.length))}/${languageId}`;
        this.completions.set(name, (this.completions.get(name) ?? 0) + 1);
      }
    }
    return result;
  }

  #noteReserved(write: Write): void {
    if (!('data' in write) || !write.key.sort.startsWith('characters/')) return;
    const { characters } = Object(write.data);
    this.reserved.set(write.key.sort, characters);
    if (characters > (this.charactersPerDay ?? 0)) this.history.complain(`${write.key.sort} has ${characters}`);
  }
}

const FAILURES = ['busy', 'unreachable', 'rejected', 'failed', 'invalid-answer'] as const;
/** The failures of calls that an engine does not charge. */
const UNCHARGED: readonly string[] = ['busy'];
