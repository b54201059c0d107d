import {
  administrationRouteOf,
  type DeliveryList,
  type DeliveryReport,
  MAX_LISTED_DELIVERIES,
  type RedriveReport,
  type SourceOperationId,
} from '../contract/administration.ts';
import { Problem } from '../contract/problem.ts';
import type { HttpResult } from '../http/http-result.ts';
import { callContext, type HttpHandler, type OperationOptions, operation } from '../http/operation.ts';
import type { HttpRequest } from '../http/request.ts';
import { encodeText } from '../service/encoded-text.ts';
import { nextTurn } from '../service/turn.ts';
import type { DeadLetters } from './dead-letters.ts';
import type { DeliveryRef, DeliveryState } from './delivery-records.ts';
import { reportDelivery, reportMessage, reportWithIdentity } from './reports.ts';
import type { SourceReader } from './source-admin.ts';
import { type ListedSource, SOURCE_NAME } from './sources.ts';

/** The dependencies of the administration API. */
export interface AdministrationDeps {
  readonly sources: SourceReader;
  readonly letters: DeadLetters;
}

/**
 * Makes the handlers of the administration API. They show and redrive only what belongs to the caller's company.
 * Everything else answers like a missing thing.
 */
export function administration(
  { sources, letters }: AdministrationDeps,
  options: OperationOptions,
): Readonly<Record<SourceOperationId, HttpHandler>> {
  const handler = (id: SourceOperationId, work: (request: HttpRequest) => Promise<unknown>) =>
    operation(administrationRouteOf(id), options, async (request) => answer(await work(request)));

  async function requireSource(request: HttpRequest): Promise<ListedSource> {
    const { companyId } = callContext(request);
    const source = await sources.find(request.segment('source'));
    if (source?.companyId === companyId) return source;
    throw new Problem('source-not-found', { detail: 'The company has no webhook source with this name.' });
  }

  async function reportWithChanges(ref: DeliveryRef, state: DeliveryState): Promise<DeliveryReport> {
    return reportDelivery(ref, state, state.kind === 'dead' ? await letters.changedSince(state) : undefined);
  }

  async function requireDelivery(ref: DeliveryRef, { companyId }: { readonly companyId: string }) {
    const isRef = SOURCE_NAME.test(ref.source) && DELIVERY_ID.test(ref.id);
    const state = isRef ? await letters.delivery(ref) : undefined;
    if (state?.companyId === companyId) {
      const message = await letters.message(ref);
      return { ...(await reportWithChanges(ref, state)), ...(message && { request: reportMessage(message) }) };
    }
    throw new Problem('route-not-found', {
      detail: 'The source has no delivery with this id, or it ended more than 14 days ago.',
    });
  }

  return {
    listSources: handler('listSources', async (request) => {
      const { companyId } = callContext(request);
      return Array.fromAsync(sources.list(companyId), reportWithIdentity);
    }),
    getSource: handler('getSource', async (request) => reportWithIdentity(await requireSource(request))),
    listDeliveries: handler('listDeliveries', async (request): Promise<DeliveryList> => {
      const { name: source, companyId } = await requireSource(request);
      const open = await take(letters.listOpen({ source, companyId }));
      const dead = await take(letters.list({ source, companyId }));
      const reports = open.map((delivery) => reportDelivery(delivery, delivery));
      for (const delivery of dead) {
        // The projects of a letter may take some milliseconds to read.
        await nextTurn();
        reports.push(await reportWithChanges(delivery, delivery));
      }
      return {
        deliveries: reports.sort(latestOpenFirst).slice(0, MAX_LISTED_DELIVERIES),
        more: reports.length > MAX_LISTED_DELIVERIES,
      };
    }),
    getDelivery: handler('getDelivery', (request) => requireDelivery(refOf(request), callContext(request))),
    redriveDelivery: handler('redriveDelivery', async (request): Promise<RedriveReport> => {
      const ref = refOf(request);
      await requireDelivery(ref, callContext(request));
      const redriven = await letters.redrive(ref);
      return { redriven, delivery: await requireDelivery(ref, callContext(request)) };
    }),
  };
}

/** Matches the id of a delivery: a SHA-256 in base64url. */
const DELIVERY_ID = /^[\w-]{43}$/;

function refOf(request: HttpRequest): DeliveryRef {
  return { source: request.segment('source'), id: request.segment('delivery') };
}

async function answer(value: unknown): Promise<HttpResult> {
  return { status: 200, json: await encodeText(JSON.stringify(value)) };
}

/** Takes one entry more than a list may have. The caller sees from it that there are more. */
async function take<T>(entries: AsyncIterable<T>): Promise<T[]> {
  const taken: T[] = [];
  for await (const entry of entries) if (taken.push(entry) > MAX_LISTED_DELIVERIES) break;
  return taken;
}

/** Orders open deliveries before dead letters, and the latest before the others. */
function latestOpenFirst(one: DeliveryReport, other: DeliveryReport): number {
  const timeOf = ({ endedAtUtc, receivedAtUtc }: DeliveryReport) => endedAtUtc ?? receivedAtUtc;
  const byState = Number(one.state !== 'open') - Number(other.state !== 'open');
  return byState || timeOf(other).localeCompare(timeOf(one));
}
