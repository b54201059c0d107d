import { createHash } from 'node:crypto';
import type { DeliveryAccepted } from '../contract/answers.ts';
import { invalidSignature, sourceNotFound } from '../contract/failures.ts';
import { Problem } from '../contract/problem.ts';
import type { RequireCompany } from '../credentials/company-record.ts';
import type { ReadLiveSecrets } from '../credentials/live-secrets.ts';
import type { HttpRequest } from '../http/request.ts';
import { schemeOf } from '../signatures/schemes.ts';
import { type SignatureProof, verifyMessage } from '../signatures/verify-message.ts';
import type { Inbox } from './inbox.ts';
import type { Source, SourceDirectory } from './sources.ts';

/** The dependencies of `receiveWebhook`. */
export interface ReceiveDeps {
  readonly sources: Pick<SourceDirectory, 'find'>;
  readonly secretsOf: ReadLiveSecrets;
  readonly requireCompany: RequireCompany;
  readonly inbox: Inbox;
}

/** Receives a message: finds its source, verifies its signature, and stores it without parsing its body. */
export async function receive(
  request: HttpRequest,
  { sources, secretsOf, requireCompany, inbox }: ReceiveDeps,
  nowMs: number,
): Promise<DeliveryAccepted> {
  const segment = request.segment('source');
  const source = await sources.find(segment);
  if (!source) {
    throw segment === '' ? new Problem('source-not-found', { detail: SLASH_AT_END }) : sourceNotFound();
  }
  const { name, companyId } = source;
  request.logFields = { companyId, source: name };
  const scheme = schemeOf(source.scheme);
  const body = bytesOf(request);
  const signed = { headerValues: request.headerValues, body };
  const proof = verifyMessage(scheme, await secretsOf(source), signed, nowMs);
  if (typeof proof === 'string') {
    request.logFields = { ...request.logFields, signature: proof };
    throw invalidSignature(scheme.signsTime ? 'missing, wrong or too old' : 'missing or wrong');
  }
  // Only a verified sender learns that its company is suspended.
  await requireCompany(companyId);
  const id = deliveryIdOf(source, proof, body);
  request.logFields = { ...request.logFields, deliveryId: id };
  const headers = readableHeaders(request.headers, scheme.signatureHeader);
  const message = { id, source: name, companyId, receivedAtMs: nowMs, traceId: request.traceId, headers, body };
  const accepted = await inbox.accept(message);
  return { deliveryId: id, ...(accepted === 'repeated' && { repeated: true }) };
}

const SLASH_AT_END = 'The path ends with a slash. Send the message to the URL without the slash.';

function bytesOf({ body }: HttpRequest): Uint8Array {
  if (body instanceof Uint8Array) return body;
  throw new TypeError('The body of a message is bytes');
}

/**
 * Returns the id of a delivery: a hash of the message id that the sender signs, or of the body if the sender signs no
 * id. A message that the sender repeats therefore has the same id. The inbox refuses a different body under a known id.
 */
export function deliveryIdOf(
  { companyId, name }: Pick<Source, 'companyId' | 'name'>,
  { messageId }: SignatureProof,
  body: Uint8Array,
): string {
  // The JSON has no line break, so the first line break ends it: no id and body can give the same hash input.
  const head = JSON.stringify([companyId, name, messageId ?? null]);
  const hash = createHash('sha256').update(`${head}\n`);
  const id = (messageId === undefined ? hash.update(body) : hash).digest('base64url');
  // A command would take an id with a hyphen at its start for an option.
  return id.replace(/^-/, '_');
}

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
 * @param signatureHeader the header in which the source's scheme sends signatures; it is left out too
 */
function readableHeaders(
  received: ReadonlyMap<string, readonly string[]>,
  signatureHeader: string,
): Record<string, string> {
  const readable = [...received].filter(
    ([name]) => name !== signatureHeader && !PRIVATE_HEADERS.some((pattern) => pattern.test(name)),
  );
  return Object.fromEntries(readable.map(([name, values]) => [name, values.join(',')]));
}
