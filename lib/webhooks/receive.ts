import { Problem } from '../contract/problem.ts';
import { routeOf } from '../contract/routes.ts';
import type { DeliveryAccepted } from '../contract/small-answers.ts';
import type { RequireCompany } from '../credentials/company-record.ts';
import { type HttpHandler, type OperationOptions, operation } from '../http/operation.ts';
import type { HttpRequest } from '../http/request.ts';
import { encodeText } from '../service/encoded-text.ts';
import type { Inbox } from './delivery.ts';
import { deliveryIdOf } from './delivery-id.ts';
import { readableHeaders } from './headers.ts';
import { messageBody } from './message-body.ts';
import { schemeOf } from './schemes/settings.ts';
import { verify } from './schemes/verify.ts';
import type { SecretsOf } from './source-secrets.ts';
import type { SourceDirectory } from './sources.ts';

/** What receiving stands on. */
export interface Receiving {
  readonly sources: SourceDirectory;
  readonly secretsOf: SecretsOf;
  /** Asked once the sender has proved itself. */
  readonly requireCompany: RequireCompany;
  readonly inbox: Inbox;
}

/** `POST /webhooks/{source}` */
export function receiveWebhook(receiving: Receiving, options: OperationOptions): HttpHandler {
  const { now } = options;
  return operation(
    routeOf('receiveWebhook'),
    messageBody(),
    async (request) => {
      const answer = await receive(request, receiving, now());
      return { status: 202, json: await encodeText(JSON.stringify(answer)), isDone: true };
    },
    options,
  );
}

/** Finds the source, proves the message, and keeps it; nothing of it is parsed. */
async function receive(
  request: HttpRequest,
  { sources, secretsOf, requireCompany, inbox }: Receiving,
  nowMs: number,
): Promise<DeliveryAccepted> {
  const source = await sources.find(request.lastSegment);
  if (!source) throw new Problem('source-not-found', { detail: 'No source of webhooks has this name.' });
  const { name, companyId } = source;
  request.known = { companyId, source: name };
  const scheme = schemeOf(source.scheme);
  const body = bytesOf(request);
  const proof = verify(scheme, await secretsOf(source), { headerValues: request.headerValues, body }, nowMs);
  if (!proof) {
    throw new Problem('invalid-signature', { detail: 'The signature does not prove who sent the request.' });
  }
  await requireCompany(companyId);
  const id = deliveryIdOf(source, proof, body);
  request.known = { ...request.known, deliveryId: id };
  const headers = readableHeaders(request.headers, scheme.signatureHeader);
  const taken = await inbox.accept({ id, source: name, companyId, receivedAtMs: nowMs, headers, body });
  return { deliveryId: id, ...(taken === 'repeated' && { repeated: true }) };
}

/** The body as `messageBody` has it. */
function bytesOf({ body }: HttpRequest): Uint8Array {
  if (body instanceof Uint8Array) return body;
  throw new TypeError('The body of a message is bytes');
}
