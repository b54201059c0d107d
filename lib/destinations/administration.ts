import {
  administrationRouteOf,
  type DestinationOperationId,
  MAX_LISTED_DELIVERIES,
  type ResultList,
  type ResultRedrive,
  type ResultReport,
} from '../contract/administration.ts';
import { scopeMissing } from '../contract/failures.ts';
import { Problem } from '../contract/problem.ts';
import { callContext, type HttpHandler, type OperationOptions, operation } from '../http/operation.ts';
import { decodeSegment } from '../http/project-ref.ts';
import type { HttpRequest } from '../http/request.ts';
import { encodeText } from '../service/encoded-text.ts';
import { type ResultRef, readResultId } from './deliveries.ts';
import type { DestinationReader } from './destination-admin.ts';
import type { DestinationTests } from './destination-tests.ts';
import type { Destination } from './destinations.ts';
import type { PreviewRequest } from './preview.ts';
import { reportDestination, reportResult } from './reports.ts';
import type { Results } from './results.ts';

/** The dependencies of the administration of destinations. */
export interface DestinationAdministrationDeps {
  readonly destinations: DestinationReader;
  readonly results: Results;
  /** Opens the tests of destinations. Only a request for one needs them. */
  readonly openTests: () => Promise<DestinationTests>;
}

/**
 * Makes the handlers of the administration API for destinations. They show and redrive only what belongs to the caller's
 * company. Everything else answers like a missing thing.
 */
export function destinationAdministration(
  { destinations, results, openTests }: DestinationAdministrationDeps,
  options: OperationOptions,
): Readonly<Record<DestinationOperationId, HttpHandler>> {
  const handler = (id: DestinationOperationId, work: (request: HttpRequest) => Promise<unknown>) =>
    operation(administrationRouteOf(id), options, async (request) => ({
      status: 200,
      json: await encodeText(JSON.stringify(await work(request))),
    }));

  async function requireDestination(request: HttpRequest): Promise<Destination> {
    const { companyId } = callContext(request);
    const destination = await destinations.find(request.segment('destination'));
    if (destination?.companyId === companyId) return destination;
    throw new Problem('route-not-found', { detail: 'The company has no destination with this name.' });
  }

  async function requireRef(request: HttpRequest): Promise<ResultRef> {
    const { companyId, destinationId } = await requireDestination(request);
    const parsed = readResultId(request.segment('delivery'));
    if (parsed) return { companyId, destination: destinationId, ...parsed };
    return noSuchDelivery();
  }

  async function report(ref: ResultRef): Promise<ResultReport> {
    const state = await results.delivery(ref);
    return state ? reportResult(ref, state) : noSuchDelivery();
  }

  /** Reads which project a test is about. A test shows content, so its key must be one that may read projects. */
  async function requireTest(request: HttpRequest): Promise<PreviewRequest> {
    if (!callContext(request).scopes?.includes('read')) throw scopeMissing(['read']);
    const destination = await requireDestination(request);
    const [project, languageCode] = [textAt(request, 'project'), textAt(request, 'language')];
    return { destination, project, languageCode, deadline: callContext(request).deadline };
  }

  return {
    listDestinations: handler('listDestinations', (request) =>
      Array.fromAsync(destinations.list(callContext(request).companyId), reportDestination),
    ),
    getDestination: handler('getDestination', async (request) => reportDestination(await requireDestination(request))),
    listResults: handler('listResults', async (request): Promise<ResultList> => {
      const { companyId, destinationId: destination } = await requireDestination(request);
      const open = await take(results.listOpen({ companyId, destination }));
      const dead = await take(results.list({ companyId, destination }));
      const all = [...open, ...dead].map((each) => reportResult(each, each)).sort(latestOpenFirst);
      return { deliveries: all.slice(0, MAX_LISTED_DELIVERIES), more: all.length > MAX_LISTED_DELIVERIES };
    }),
    getResult: handler('getResult', async (request) => report(await requireRef(request))),
    redriveResult: handler('redriveResult', async (request): Promise<ResultRedrive> => {
      const ref = await requireRef(request);
      await report(ref);
      const redriven = await results.redrive(ref);
      return { redriven, delivery: await report(ref) };
    }),
    showTest: handler('showTest', async (request) => {
      const wanted = await requireTest(request);
      return (await openTests()).show(wanted);
    }),
    sendTest: handler('sendTest', async (request) => {
      const wanted = await requireTest(request);
      return (await openTests()).send(wanted, request.segment('test'));
    }),
  };
}

/** Decodes a segment of the path. One that is not well-formed names nothing, like an empty one. */
function textAt(request: HttpRequest, name: string): string {
  return decodeSegment(request.segment(name)) ?? '';
}

function noSuchDelivery(): never {
  throw new Problem('route-not-found', {
    detail: 'The destination has no delivery with this id, or it ended more than 14 days ago.',
  });
}

/** Takes one entry more than a list may have. The caller sees from it that there are more. */
async function take<T>(entries: AsyncIterable<T>): Promise<T[]> {
  const taken: T[] = [];
  for await (const entry of entries) if (taken.push(entry) > MAX_LISTED_DELIVERIES) break;
  return taken;
}

/** Orders open deliveries before dead letters, and the latest before the others. */
function latestOpenFirst(one: ResultReport, other: ResultReport): number {
  const timeOf = ({ endedAtUtc, recordedAtUtc }: ResultReport) => endedAtUtc ?? recordedAtUtc;
  const byState = Number(one.state !== 'open') - Number(other.state !== 'open');
  return byState || timeOf(other).localeCompare(timeOf(one));
}
