import { createHmac, randomBytes } from 'node:crypto';
import { MAX_SHOWN_BODY, type TestEndReport, type TestReport, type TestSent } from '../contract/administration.ts';
import { Problem } from '../contract/problem.ts';
import type { PublicTransport, Sent } from '../service/http-client/public-transport.ts';
import type { Destination } from './destinations.ts';
import { largeSlot } from './large-slot.ts';
import {
  type PreviewDeps,
  PreviewRefusal,
  type PreviewRequest,
  previewHeaders,
  previewResult,
  type ShownResult,
  sendPreview,
} from './preview.ts';

/** The dependencies of the tests of destinations. */
export interface DestinationTestDeps extends PreviewDeps {
  /** Reads the secret of a destination; `undefined` if it has none. */
  readonly secretOf: (destination: Destination) => Promise<string | undefined>;
  readonly send: PublicTransport;
}

/** Tests destinations with projects: it shows the requests, and sends them if the caller confirms what it saw. */
export interface DestinationTests {
  /** Shows the requests. It sends nothing. */
  show(request: PreviewRequest): Promise<TestReport>;
  /** Sends the requests of a test that was shown, unless they would differ now. @param shown the field `test` of the test */
  send(request: PreviewRequest, shown: string): Promise<TestSent>;
}

/** A test, with the requests that can be sent. */
interface Made {
  readonly report: TestReport;
  readonly preview?: ShownResult;
}

/** Matches the name of a shown test: its time, and what authenticates its requests. */
const SHOWN = /^(\d{1,15})-[\w-]{43}$/;

/**
 * Creates the tests of this process. One test runs at a time, and a company has at most one waiting, so that no company
 * holds up the others for long.
 */
export function destinationTests(deps: DestinationTestDeps): DestinationTests {
  /** Without this key, nobody can name requests that this process has not shown. It ends with the process. */
  const key = randomBytes(32);
  const slot = largeSlot();
  const companies = new Set<string>();

  async function alone<T>({ destination, deadline }: PreviewRequest, work: () => Promise<T>): Promise<T> {
    const { companyId } = destination;
    if (companies.has(companyId)) throw new Problem('unavailable', { detail: BUSY, retryAfterSeconds: 5 });
    companies.add(companyId);
    const free = await slot.take();
    try {
      if (deadline.remainingMs() <= 0) throw new Problem('unavailable', { detail: BUSY, retryAfterSeconds: 5 });
      return await work();
    } finally {
      free();
      companies.delete(companyId);
    }
  }

  /** Makes a test at a time, so that it can be made again: a mapping may use the time and the id of the event. */
  async function make(request: PreviewRequest, atMs: number): Promise<Made> {
    const { destination, project, languageCode } = request;
    const preview = await previewOf(deps, request, atMs);
    if (!('requests' in preview)) return { report: { requests: [], faults: [], ...preview } };
    const { requests } = preview;
    const about = [destination.companyId, destination.destinationId, project, languageCode, atMs, requests];
    const mac = createHmac('sha256', key).update(JSON.stringify(about)).digest('base64url');
    const shown = requests.map((each, index) => ({
      method: each.method,
      url: each.url,
      headers: Object.entries(previewHeaders(destination, preview, each, index)).map(([name, value]) => ({
        name,
        value,
      })),
      bytes: Buffer.byteLength(each.body ?? ''),
      ...(each.body !== undefined && { body: each.body.slice(0, MAX_SHOWN_BODY) }),
    }));
    const test = requests.length > 0 ? { test: `${atMs}-${mac}` } : {};
    return { preview, report: { ...test, requests: shown, faults: [] } };
  }

  return {
    show: (request) => alone(request, async () => (await make(request, deps.now())).report),
    send: (request, shown) =>
      alone(request, async () => {
        const { preview, report } = await make(request, Number(SHOWN.exec(shown)?.[1] ?? deps.now()));
        if (!preview || report.test !== shown) return { sent: false, ends: [], test: report };
        const { destination, deadline } = request;
        const secret = await deps.secretOf(destination).catch(() => undefined);
        if (destination.secretHeader !== undefined && secret === undefined)
          return { sent: false, ends: [], test: { requests: [], faults: [], refusal: 'no-secret' } };
        const ends = await sendPreview(deps.send, destination, preview, { secret, deadline });
        return { sent: true, ends: ends.map(reportEnd), test: report };
      }),
  };
}

const BUSY = 'Another test is running. Nothing was sent. Try again when it has ended.';

/** Makes the requests, or says why there are none. */
async function previewOf(
  deps: DestinationTestDeps,
  request: PreviewRequest,
  atMs: number,
): Promise<ShownResult | Pick<TestReport, 'refusal'> | Pick<TestReport, 'faults'>> {
  try {
    const preview = await previewResult({ ...deps, now: () => atMs }, request);
    return preview.ok
      ? preview
      : { faults: preview.faults.map(({ request: number, detail }) => ({ request: number, detail })) };
  } catch (error) {
    if (error instanceof PreviewRefusal) return { refusal: error.reason };
    if (error instanceof Problem && error.name === 'mapping-failed') return { faults: [{ detail: error.message }] };
    throw error;
  }
}

/** Returns what may be shown of an answer: its status and its size. */
function reportEnd(sent: Sent): TestEndReport {
  if (sent.kind === 'answered') {
    const { status, body } = sent;
    return { status, ...(typeof body !== 'string' && { answerBytes: body.length }) };
  }
  return sent.kind === 'no-answer' ? { reason: sent.kind, code: sent.code } : { reason: sent.kind };
}
