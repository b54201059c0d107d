import type { DeliveryAccepted, UrlTested } from '../contract/answers.ts';
import { invalidSignature, sourceNotFound } from '../contract/failures.ts';
import { type Query, readQuery } from '../contract/parameters.ts';
import { Problem } from '../contract/problem.ts';
import type { RequireCompany } from '../credentials/company-record.ts';
import type { ReadLiveSecrets } from '../credentials/live-secrets.ts';
import type { HttpRequest } from '../http/request.ts';
import { loadScheme } from '../signatures/load-scheme.ts';
import type { ReceivedMessage } from '../signatures/scheme.ts';
import { verifyMessage } from '../signatures/verify-message.ts';
import { identify } from './identify.ts';
import type { Inbox } from './inbox.ts';
import type { SourceDirectory } from './sources.ts';

/** The dependencies of `receiveWebhook`. */
export interface ReceiveDeps {
  readonly sources: Pick<SourceDirectory, 'find'>;
  readonly secretsOf: ReadLiveSecrets;
  readonly requireCompany: RequireCompany;
  readonly inbox: Inbox;
}

/** The answer to a message: its delivery, or the answer to a test of the URL, which stores nothing. */
export type Received =
  | { readonly status: 202; readonly answer: DeliveryAccepted }
  | { readonly status: 200; readonly answer: UrlTested };

/** Receives a message: finds its source, verifies its signature, and stores it. */
export async function receive(
  request: HttpRequest,
  { sources, secretsOf, requireCompany, inbox }: ReceiveDeps,
  nowMs: number,
): Promise<Received> {
  const segment = request.segment('source');
  const source = await sources.find(segment);
  if (!source) {
    throw segment === '' ? new Problem('source-not-found', { detail: SLASH_AT_END }) : sourceNotFound();
  }
  const { name, companyId } = source;
  request.logFields = { companyId, source: name };
  const scheme = await loadScheme(source.scheme);
  requireQuery(request.query, scheme.queryParameter);
  const message = messageOf(request);
  const urlTest = TESTS_URL.has(source.scheme.name) ? await import('./url-test.ts') : undefined;
  if (urlTest?.isPing(source.scheme, message)) return { status: 200, answer: {} };
  const proof = verifyMessage(scheme, await secretsOf(source), message, nowMs);
  if (typeof proof === 'string') {
    request.logFields = { ...request.logFields, signature: proof };
    throw invalidSignature(scheme.refusal);
  }
  // Only a verified sender learns that its company is suspended.
  await requireCompany(companyId);
  const tested = urlTest?.urlTestAnswer(source.scheme, message.body);
  if (tested) return { status: 200, answer: tested };
  const { body } = message;
  const { id, recent } = await identify({ ...source, identifiedBy: scheme.identifiedBy }, proof, message, nowMs);
  const headers = readableHeaders(request.headers, scheme.privateHeaders);
  const delivery = { id, source: name, companyId, receivedAtMs: nowMs, traceId: request.traceId, headers, body };
  request.logFields = { ...request.logFields, deliveryId: id };
  if (!recent) return acceptedAs(id, (await inbox.accept(delivery)) === 'repeated');
  const accepted = await inbox.acceptUnlessRecent(delivery, recent);
  request.logFields = { ...request.logFields, deliveryId: accepted.id };
  return acceptedAs(accepted.id, accepted.isRepeated);
}

function acceptedAs(deliveryId: string, isRepeated: boolean): Received {
  return { status: 202, answer: { deliveryId, ...(isRepeated && { repeated: true }) } };
}

/** Checks that a query has no parameter but the one with the secret. @throws {Problem} `unknown-parameter` */
function requireQuery(query: Query, allowed: string | undefined): void {
  readQuery([], Object.fromEntries(Object.entries(query).filter(([name]) => name !== allowed)));
}

function messageOf({ body, headerValues, query, publicPath }: HttpRequest): ReceivedMessage {
  if (!(body instanceof Uint8Array)) throw new TypeError('The body of a message is bytes');
  const queryValues = (name: string) => (Object.hasOwn(query, name) ? (query[name] ?? []) : []);
  return { body, headerValues, queryValues, path: publicPath };
}

/** The schemes of senders that test the URL before they send messages. */
const TESTS_URL: ReadonlySet<string> = new Set(['woocommerce', 'slack']);

const SLASH_AT_END = 'The path ends with a slash. Send the message to the URL without the slash.';

/** The headers that a mapping may not read: signatures, credentials, and headers that proxies add about the sender. */
const PRIVATE_HEADERS = [
  /(^|-)(authorization|cookie|credential|hmac|password|secret|signature|token)(-|$)/,
  /^x-api-key$/,
  /^(forwarded|via|true-client-ip|x-real-ip)$/,
  /^(x-forwarded|x-amz|x-amzn|cloudfront|cf)-/,
];

/**
 * Returns the headers that a mapping may read.
 * @param received every value of every header, by lower-case names
 * @param ofScheme the headers in which the source's scheme sends signatures or secrets; they are left out too
 */
function readableHeaders(
  received: ReadonlyMap<string, readonly string[]>,
  ofScheme: readonly string[],
): Record<string, string> {
  const readable = [...received].filter(
    ([name]) => !ofScheme.includes(name) && !PRIVATE_HEADERS.some((pattern) => pattern.test(name)),
  );
  return Object.fromEntries(readable.map(([name, values]) => [name, values.join(',')]));
}
