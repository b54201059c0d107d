import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { vi } from 'vitest';
import { Project } from '../../lib/contract/answer.ts';
import { type Clock, checkProject } from '../../lib/contract/check.ts';
import { LIMITS } from '../../lib/contract/limits.ts';
import { Problem } from '../../lib/contract/problem.ts';
import type { CheckedProject } from '../../lib/contract/project.ts';
import type { BasicCredentials } from '../../lib/credentials/basic.ts';
import { type CachedSecret, cachedSecret } from '../../lib/credentials/secrets.ts';
import { decodeText, type ProjectDocument } from '../../lib/service/document.ts';
import type { Call } from '../../lib/service/port.ts';
import { projectFrom } from '../../lib/service/project-from.ts';
import { upstreamClient } from '../../lib/upstream/client.ts';
import { readUpstreamCredentials } from '../../lib/upstream/credentials.ts';
import { serviceUrl } from '../../lib/upstream/paths.ts';
import { type UpstreamOptions, type UpstreamService, upstreamService } from '../../lib/upstream/service.ts';
import { httpTransport } from '../../lib/upstream/transport.ts';
import { openSqlite } from '../lib/storage/folder.ts';
import type { JsonObject } from '../support/projects.ts';
import { asObject, smallProject } from '../support/projects.ts';

export const ACCOUNT: BasicCredentials = { companyId: 'acme', apiKey: 'key-at-the-service' };

/** A call with the time of API Gateway. */
export const call: Call = { companyId: 'company', requestId: 'request', deadline: { remainingMs: () => 29_000 } };

/** The time, with the usual tolerance. */
export const clock = (): Clock => ({ nowMs: Date.now(), toleranceMs: LIMITS.startDateToleranceMs });

/** A project that passed the checks. */
export function checked(fields: JsonObject = {}): CheckedProject {
  return checkProject(smallProject(fields), clock());
}

/** What a service that keeps the contract answers. */
export function answered(project: CheckedProject, id = 1_000, nowMs = Date.now()): Project {
  return Project.parse(JSON.parse(JSON.stringify(projectFrom(project, id, nowMs))));
}

/** The service at a URL, with a ledger of its own. */
export function upstreamAt(
  baseUrl: string,
  credentials: CachedSecret<BasicCredentials>,
  options: Partial<UpstreamOptions> = {},
): UpstreamService {
  const transport = httpTransport(serviceUrl(baseUrl), Date.now);
  return upstreamService({
    client: upstreamClient({ transport, credentials, now: Date.now }),
    storage: openSqlite(),
    now: Date.now,
    sleep: (ms) => setTimeout(ms),
    newId: randomUUID,
    ...options,
  });
}

/** The service at a URL, and how often its credentials were read. */
export function serviceAt(baseUrl: string): UpstreamService & { readonly secretReads: () => number } {
  const read = vi.fn(async () => JSON.stringify(ACCOUNT));
  const credentials = cachedSecret({ read }, readUpstreamCredentials, { now: Date.now });
  return { ...upstreamAt(baseUrl, credentials), secretReads: () => read.mock.calls.length };
}

/** The project in a document. */
export async function contentOf(document: ProjectDocument): Promise<JsonObject> {
  return asObject(JSON.parse(Buffer.from(await decodeText(document.json)).toString()));
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
