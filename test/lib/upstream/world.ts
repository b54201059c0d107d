import { vi } from 'vitest';
import { type Clock, checkProject } from '../../../lib/contract/check.ts';
import type { BasicCredentials } from '../../../lib/contract/credentials.ts';
import { utc } from '../../../lib/contract/date.ts';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { Problem } from '../../../lib/contract/problem.ts';
import type { CheckedProject } from '../../../lib/contract/project.ts';
import { Project } from '../../../lib/contract/project-answer.ts';
import { cachedSecret } from '../../../lib/credentials/cached-secret.ts';
import { deadlineAt } from '../../../lib/service/deadline.ts';
import { decodeText } from '../../../lib/service/encoded-text.ts';
import { httpTransport } from '../../../lib/service/http-client/transport.ts';
import type { Call } from '../../../lib/service/port.ts';
import type { ProjectDocument } from '../../../lib/service/project-document.ts';
import { projectFrom } from '../../../lib/service/project-from.ts';
import { readUpstreamCredentials } from '../../../lib/upstream/authorization.ts';
import { type ClientOptions, upstreamClient } from '../../../lib/upstream/client.ts';
import { serviceUrl } from '../../../lib/upstream/requests.ts';
import { type UpstreamOptions, type UpstreamService, upstreamService } from '../../../lib/upstream/service.ts';
import { MemoryStorage } from '../../support/memory-storage.ts';
import { asObject, type JsonObject, smallProject } from '../../support/projects.ts';

export const ACCOUNT: BasicCredentials = { companyId: 'acme', apiKey: 'key-at-the-service' };
export const START_MS = Date.UTC(2026, 10, 20, 12);
/** The time that API Gateway leaves to a request. */
export const REQUEST_MS = 28_500;
/** How long what was sent may take to show. */
export const SETTLE_MS = 60_000;
/** Makes every pause before another attempt longer than any deadline, so that every request is sent once. */
const impatient = () => Number.POSITIVE_INFINITY;

/** A ledger, and a clock on which time passes only where somebody waits. */
export class World {
  nowMs: number;
  readonly now = (): number => this.nowMs;
  readonly sleep = async (ms: number): Promise<void> => {
    this.nowMs += ms;
  };
  readonly storage = new MemoryStorage();
  #ids = 0;

  /** @param nowMs milliseconds since 1970 */
  constructor(nowMs = START_MS) {
    this.nowMs = nowMs;
  }

  /** A process of Segue. */
  service(
    { transport, credentials }: Pick<ClientOptions, 'transport' | 'credentials'>,
    options: Partial<UpstreamOptions> = {},
  ): UpstreamService {
    const { now, sleep, storage } = this;
    const client = upstreamClient({ transport, credentials, now, sleep, random: impatient });
    const newId = () => `id-${++this.#ids}`;
    return upstreamService({ client, storage, now, sleep, newId, propagationMs: SETTLE_MS, ...options });
  }

  /** A process of Segue before a server, and how often it read its credentials. */
  serviceAt(
    baseUrl: string,
    options: Partial<UpstreamOptions> = {},
  ): UpstreamService & { readonly secretReads: () => number } {
    const read = vi.fn(async () => JSON.stringify(ACCOUNT));
    const credentials = cachedSecret(read, readUpstreamCredentials, { now: this.now });
    const transport = httpTransport(serviceUrl(baseUrl), this.now);
    return { ...this.service({ transport, credentials }, options), secretReads: () => read.mock.calls.length };
  }

  /** A call that begins now, with the time of API Gateway. */
  call(fields: Partial<Call> = {}): Call {
    const deadline = deadlineAt(this.nowMs + REQUEST_MS, this.now);
    return {
      companyId: 'company',
      requestId: 'request',
      requestedBy: { kind: 'workflow', id: null },
      deadline,
      ...fields,
    };
  }

  /** A call with a key. */
  once(key: string, fields: Partial<Call> = {}): Call {
    return this.call({ idempotency: { key, replayed: () => {} }, ...fields });
  }

  /** A project that passed the checks now. */
  checked(fields: JsonObject = {}): CheckedProject {
    return checked({ startDateUtc: utc(this.nowMs), ...fields });
  }

  /** Lets so much time pass that nothing that was sent before is still on its way. */
  settle(): void {
    this.nowMs += REQUEST_MS + SETTLE_MS;
  }
}

const CLOCK: Clock = { nowMs: START_MS, toleranceMs: LIMITS.startDateToleranceMs };

/** A project that passed the checks when the clock started. */
export function checked(fields: JsonObject = {}): CheckedProject {
  const dates = { startDateUtc: utc(START_MS), endDateUtc: '2059-01-01T00:00:00Z' };
  return checkProject(smallProject({ ...dates, ...fields }), CLOCK);
}

/** What a service that keeps the contract answers. */
export function answered(project: CheckedProject, id = 1_000, nowMs = START_MS): Project {
  return Project.parse(JSON.parse(JSON.stringify(projectFrom(project, id, nowMs))));
}

/** What such a service has of a project that the company gave a custom id. */
export function kept(project: CheckedProject, id = 1_000): Project {
  return answered({ ...project, customId: `segue.company.n.${project.customId}` }, id);
}

/** What such a service answers to the body of a creation. */
export function answeredTo(body: string, id = 1_000): Project {
  return answered(checkProject(JSON.parse(body), CLOCK), id);
}

/** The project in a document. */
export async function contentOf(document: ProjectDocument): Promise<JsonObject> {
  return asObject(JSON.parse(Buffer.from(decodeText(document.json)).toString()));
}

/** The problem that a piece of work ends in. */
export async function problemOf(work: Promise<unknown>): Promise<Problem> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof Problem) return error;
  throw new Error('The work did not end in a problem', { cause: error });
}
