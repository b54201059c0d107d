import type { EventType, PublishedEvent } from '../contract/event.ts';
import { languageByCode, unknownCode } from '../contract/languages.ts';
import { Problem } from '../contract/problem.ts';
import { CustomIdRecord } from '../records/custom-id-record.ts';
import { customIdKey } from '../records/keys.ts';
import type { Deadline } from '../service/deadline.ts';
import { EXCHANGE_MS, type PublicTransport, type Sent } from '../service/http-client/public-transport.ts';
import type { ItemReader, ListedStore } from '../storage/port.ts';
import { ownHeaders } from './attempt.ts';
import { readDelivered } from './delivered.ts';
import { type Destination, isEventType } from './destinations.ts';
import { type FetchPageDeps, fetchPage } from './fetch-page.ts';
import { type ResultReads, readInput } from './input.ts';
import { type RequestFault, type ResultRequest, readRequests } from './requests.ts';

/** Why a preview cannot be made. */
export type PreviewRefusalReason = keyof typeof REFUSALS | 'language-unknown' | 'page-unavailable';

/** A request for a preview that cannot be met. The message is for the user of the CLI. */
export class PreviewRefusal extends Error {
  override readonly name = 'PreviewRefusal';
  readonly reason: PreviewRefusalReason;

  constructor(reason: PreviewRefusalReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** The dependencies of a preview. */
export interface PreviewDeps extends FetchPageDeps {
  /** The store of the projects. */
  readonly store: ItemReader;
  /** The store of the deliveries. */
  readonly deliveries: ListedStore;
  readonly reads: ResultReads;
  /** Reads the secret of a destination; `undefined` if it has none. */
  readonly secretOf: (destination: Destination) => Promise<string | undefined>;
  readonly now: () => number;
}

/** What a preview shows. */
export interface PreviewRequest {
  readonly destination: Destination;
  /** The id of the project, or its custom id. */
  readonly project: string;
  readonly languageCode: string;
  readonly deadline: Deadline;
}

/** The requests that a delivery would send now, or their faults. */
export type PreviewedResult = ShownResult | { readonly ok: false; readonly faults: readonly RequestFault[] };

/** The requests of a preview. */
export interface ShownResult {
  readonly ok: true;
  readonly event: PublishedEvent;
  readonly requests: readonly ResultRequest[];
}

/**
 * Maps the present translations of a project to requests, as after an event, and sends nothing.
 * @throws {PreviewRefusal}
 * @throws {Problem} `mapping-failed`, `unavailable`
 */
export async function previewResult(
  { store, deliveries, reads, secretOf, now, ...deps }: PreviewDeps,
  { destination, project, languageCode, deadline }: PreviewRequest,
): Promise<PreviewedResult> {
  const { companyId, destinationId } = destination;
  const language = languageByCode(languageCode);
  if (!language) throw new PreviewRefusal('language-unknown', unknownCode(languageCode, '').detail);
  const projectId = await projectIdOf({ store, reads }, companyId, project);
  const data = { projectId, languageId: language.id, languageCode: language.langCode };
  const timestamp = new Date(now()).toISOString();
  const event = { id: `test-${now()}`, type: typeOf(destination), timestamp, sequence: 1, data };
  const ref = { destination: destinationId, projectId, languageId: language.id };
  const requestedBy = { kind: 'source', id: null } as const;
  const call = { companyId, requestId: event.id, requestedBy, deadline };
  const secretHeaders = async () => secretHeaderOf(destination, await secretOf(destination));
  const input = await readInput(reads, event, call, {
    readPage: (json) => fetchPage(deps, destination, json, { nowMs: now(), secretHeaders, deadline }).catch(refuse),
    start: async () => (await readDelivered(deliveries, ref)).add,
  });
  if (input.kind !== 'input') throw refusal(input.kind);
  const read = readRequests(await deps.mapper.applyToJson(destination.mapping, input.json, now()), destination);
  return read.ok ? { ...read, event } : read;
}

/** Refuses a preview whose page cannot be had. */
function refuse(error: unknown): never {
  throw error instanceof Problem ? new PreviewRefusal('page-unavailable', error.message) : error;
}

const REFUSALS = {
  'project-deleted': 'the company has no project with this id',
  'language-removed': 'the project does not have this target language',
  'too-large': 'the segments of the language are more than 8 MiB of JSON, which is too much for one mapping',
  'content-lost': 'the content of the project is lost',
  busy: 'the project is read too slowly now: run the command again',
  changing: 'the project changes too often now: run the command again',
} as const;

function refusal(reason: keyof typeof REFUSALS): PreviewRefusal {
  return new PreviewRefusal(reason, REFUSALS[reason]);
}

/** Returns the type of the event in a preview: the usual one, if the destination has it. */
function typeOf({ on }: Destination): EventType {
  return on.includes('language.completed') ? 'language.completed' : (on.find(isEventType) ?? 'language.completed');
}

/** Finds a project by its id, or by its custom id. */
async function projectIdOf(
  { store, reads }: Pick<PreviewDeps, 'store' | 'reads'>,
  companyId: string,
  project: string,
): Promise<number> {
  const id = /^[1-9]\d{0,15}$/.test(project) ? Number(project) : undefined;
  if (id !== undefined && (await reads.project(companyId, id))) return id;
  const item = await store.read(customIdKey(companyId, project));
  if (!item) throw refusal('project-deleted');
  return CustomIdRecord.parse(item.data).projectId;
}

/** Returns the header with the secret of a destination; none if it has no secret. */
function secretHeaderOf({ secretHeader }: Destination, secret: string | undefined): Readonly<Record<string, string>> {
  return secretHeader === undefined || secret === undefined ? {} : { [secretHeader.toLowerCase()]: secret };
}

/** Returns the headers of a request of a preview, without the secret. @param index that of the request, from 0 */
export function previewHeaders(
  { destinationId }: Pick<Destination, 'destinationId'>,
  { event }: Pick<ShownResult, 'event'>,
  request: ResultRequest,
  index: number,
): Record<string, string> {
  return { ...request.headers, ...ownHeaders({ destination: destinationId }, { event }, index) };
}

/**
 * Sends the requests of a preview once, in order, until one fails. Nothing is remembered of it.
 * @param deadline if given, no request starts that could end later
 * @returns the end of each request that was sent
 */
export async function sendPreview(
  send: PublicTransport,
  destination: Destination,
  preview: ShownResult,
  { secret, deadline }: { readonly secret: string | undefined; readonly deadline?: Deadline },
): Promise<Sent[]> {
  const own = secretHeaderOf(destination, secret);
  const ends: Sent[] = [];
  for (const [index, request] of preview.requests.entries()) {
    if (deadline && deadline.remainingMs() < EXCHANGE_MS) break;
    const headers = { ...previewHeaders(destination, preview, request, index), ...own };
    const sent = await send({ ...request, headers });
    ends.push(sent);
    if (sent.kind !== 'answered' || sent.status < 200 || sent.status >= 300) break;
  }
  return ends;
}
