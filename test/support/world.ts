import { randomUUID } from 'node:crypto';
import { checkProject } from '../../lib/contract/check-project.ts';
import { utc } from '../../lib/contract/date.ts';
import { notSupported } from '../../lib/contract/failures.ts';
import { LIMITS } from '../../lib/contract/limits.ts';
import type { CheckedProject } from '../../lib/contract/project.ts';
import type { Project } from '../../lib/contract/project-answer.ts';
import { type HostedOptions, type HostedService, hostedService } from '../../lib/hosted/service.ts';
import { type Deadline, deadlineAt } from '../../lib/service/deadline.ts';
import { decodeText, type EncodedText } from '../../lib/service/encoded-text.ts';
import type { CallContext, ProjectService } from '../../lib/service/port.ts';
import type { Storage } from '../../lib/storage/port.ts';
import type { UpstreamOptions } from '../../lib/upstream/deps.ts';
import { type Reconcile, upstreamReconciler } from '../../lib/upstream/reconciler.ts';
import { upstreamService } from '../../lib/upstream/service.ts';
import { openSqlite } from '../lib/storage/folder.ts';
import { callContext, heldNow, NOW_MS } from '../lib/support.ts';
import { asObject, type JsonObject, smallProject } from './projects.ts';

/** Returns a hosted service: by default on an empty store, with a clock that stands still and no randomness. */
export function hosted(options: Partial<HostedOptions> = {}): HostedService {
  const now = options.now ?? heldNow;
  const storage = options.storage ?? openSqlite(now);
  return hostedService({ storage, random: () => 0.5, newEventId: randomUUID, ...options, now });
}

/** The upstream service of a process, with its reconciler. */
export interface UpstreamService extends ProjectService {
  readonly reconcile: Reconcile;
}

/** A clock that a test moves, and ids in their order. */
export class TestClock {
  nowMs: number;
  #ids = 0;

  /** @param nowMs milliseconds since 1970 */
  constructor(nowMs: number = NOW_MS) {
    this.nowMs = nowMs;
  }

  readonly now = (): number => this.nowMs;
  /** Moves the clock in place of a pause. */
  readonly sleep = async (ms: number): Promise<void> => {
    this.nowMs += ms;
  };
  readonly newEventId = (): string => `event-${++this.#ids}`;

  /** Returns a deadline with enough time for one run of background work. */
  deadline(): Deadline {
    return deadlineAt(this.nowMs + 50_000, this.now);
  }
}

/** Segue in a test: a store, a clock, and any number of processes that share both. */
export abstract class TestWorld extends TestClock {
  abstract readonly storage: Storage;
  /** The company of a call that names none. */
  readonly companyId: string = 'acme';
  /** The time limit of a request, in milliseconds. */
  readonly requestMs: number = 10_000;

  /** Returns the hosted service of a process. */
  hosted(options: Partial<HostedOptions> = {}): HostedService {
    const { storage, now, newEventId } = this;
    return hosted({ storage, newEventId, ...options, now });
  }

  /** Returns the upstream service of a process. */
  upstream(options: Pick<UpstreamOptions, 'client'> & Partial<UpstreamOptions>): UpstreamService {
    const { storage, now, sleep, newEventId } = this;
    const complete = { storage, now, sleep, newId: newEventId, newEventId, ...options };
    return { ...upstreamService(complete), reconcile: upstreamReconciler(complete) };
  }

  /** Returns a call that begins now. */
  call(fields: Partial<CallContext> = {}): CallContext {
    const deadline = deadlineAt(this.nowMs + this.requestMs, this.now);
    return { ...callContext(this.companyId), deadline, ...fields };
  }

  /** Returns a call with an idempotency key. */
  once(key: string, fields: Partial<CallContext> = {}): CallContext {
    return this.call({ idempotency: { key, replayed: () => {} }, ...fields });
  }

  /** Returns a project that is sent and checked now. */
  checked(fields: JsonObject = {}): CheckedProject {
    const body = smallProject({ startDateUtc: utc(this.nowMs), endDateUtc: '2059-01-01T00:00:00Z', ...fields });
    return checkProject(body, { nowMs: this.nowMs, toleranceMs: LIMITS.startDateToleranceMs });
  }
}

/** An answer of a service with an encoded text, such as a document. */
interface Encoded {
  readonly json: EncodedText;
}

export function textOf({ json }: Encoded): string {
  return Buffer.from(decodeText(json)).toString();
}

/** Returns the project in a document. The test checks its content. */
export function projectIn(document: Encoded): Project {
  return JSON.parse(textOf(document));
}

/** Returns the same as any JSON. */
export function contentOf(document: Encoded): JsonObject {
  return asObject(JSON.parse(textOf(document)));
}

/** Returns a service with every operation. Those that it does not support are refused, as the doors do. */
export function everyOperation(service: ProjectService): HostedService {
  const refuse = async () => {
    throw notSupported();
  };
  return { allowsLoopbackEvents: false, writeTranslations: refuse, changeLanguage: refuse, ...service };
}
