import { fieldsOf } from '../contract/pointer.ts';
import { allowedUrl } from '../service/allowed-hosts.ts';
import type { OutgoingMethod } from '../service/http-client/public-transport.ts';
import { isHeaderName, isOwnHeader } from '../service/secret-header.ts';
import type { DestinationRecord } from './destinations.ts';

/** A request that a mapping returned, checked, without what Segue adds. */
export interface ResultRequest {
  readonly method: OutgoingMethod;
  readonly url: string;
  /** The headers by lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** A fault of a request. The text has nothing of what the mapping returned. */
export interface RequestFault {
  /** The number of the request, from 1. */
  readonly request: number;
  readonly detail: string;
  /** Whether the request is right, except that its host is not one of the destination's. */
  readonly isHost?: boolean;
}

/** The requests that a mapping returned, or all their faults. */
export type ReadRequests =
  | { readonly ok: true; readonly requests: readonly ResultRequest[] }
  | { readonly ok: false; readonly faults: readonly RequestFault[] };

/** The limits of what a mapping may return for one event. */
export const REQUEST_LIMITS = {
  requests: 100,
  /** The longest URL, in characters. */
  urlCharacters: 4_000,
  headers: 50,
  /** All names and values of the headers of a request, in characters. */
  headerCharacters: 16_384,
  bodyBytes: 4_194_304,
} as const;

const METHODS: readonly OutgoingMethod[] = ['POST', 'PUT', 'PATCH', 'DELETE', 'GET'];
const FIELDS = ['method', 'url', 'headers', 'body'];

const HEADER_VALUE = /^[\t\x20-\x7e]*$/;

/** Reads the result of a mapping: a request, an array of requests, or nothing. */
export function readRequests(
  result: unknown,
  destination: Pick<DestinationRecord, 'hosts' | 'secretHeader'>,
): ReadRequests {
  if (result === undefined || result === null) return { ok: true, requests: [] };
  const entries: readonly unknown[] = Array.isArray(result) ? result : [result];
  if (entries.length > REQUEST_LIMITS.requests) {
    const detail = `The mapping returns ${entries.length} requests. It may return at most ${REQUEST_LIMITS.requests}.`;
    return { ok: false, faults: [{ request: REQUEST_LIMITS.requests + 1, detail }] };
  }
  const faults: RequestFault[] = [];
  const requests = entries.map((entry, index) => {
    const found: Omit<RequestFault, 'request'>[] = [];
    const request = readRequest(entry, destination, (detail, isHost = false) => found.push({ detail, isHost }));
    faults.push(...found.map((fault) => ({ request: index + 1, ...fault })));
    return request;
  });
  return faults.length > 0 ? { ok: false, faults } : { ok: true, requests };
}

type AddFault = (detail: string, isHost?: boolean) => void;

function readRequest(
  entry: unknown,
  { hosts, secretHeader }: Pick<DestinationRecord, 'hosts' | 'secretHeader'>,
  add: AddFault,
): ResultRequest {
  const { method, url, headers = {}, body, ...others } = Array.isArray(entry) ? {} : (fieldsOf(entry) ?? {});
  if (Object.keys(others).length > 0) add(`A request has only the fields ${FIELDS.join(', ')}.`);
  const known = METHODS.find((each) => each === method);
  if (!known) add(`method must be one of ${METHODS.join(', ')}.`);
  if (known === 'GET' && body !== undefined && body !== null) add('A GET has no body.');
  const target = readUrl(url, hosts, add);
  const named = readHeaders(headers, secretHeader, add);
  const { text, type } = readBody(body);
  if (text !== undefined && Buffer.byteLength(text) > REQUEST_LIMITS.bodyBytes)
    add(`body must have at most ${REQUEST_LIMITS.bodyBytes} bytes.`);
  return {
    method: known ?? 'POST',
    url: target,
    headers: { ...type, ...named },
    ...(text !== undefined && { body: text }),
  };
}

function readUrl(value: unknown, hosts: readonly string[], add: AddFault): string {
  const isUrl = typeof value === 'string' && value.length <= REQUEST_LIMITS.urlCharacters && URL.canParse(value);
  if (!isUrl) {
    add(`url must be a URL of at most ${REQUEST_LIMITS.urlCharacters} characters.`);
    return '';
  }
  const url = allowedUrl(value, hosts);
  if (!url) add(HOST_REFUSED, true);
  return url?.href ?? '';
}

const HOST_REFUSED =
  'url is not https, has a user name, or has a host that is not one of the destination’s. Give each host with --host, with its port unless that is 443.';

function readHeaders(value: unknown, secretHeader: string | undefined, add: AddFault): Record<string, string> {
  const fields = Array.isArray(value) ? undefined : fieldsOf(value);
  if (!fields) {
    add('headers must be an object of texts.');
    return {};
  }
  const entries = Object.entries(fields);
  if (entries.length > REQUEST_LIMITS.headers) add(`headers must have at most ${REQUEST_LIMITS.headers} fields.`);
  const read = new Map<string, string>();
  let length = 0;
  for (const [given, text] of entries.slice(0, REQUEST_LIMITS.headers)) {
    const name = given.toLowerCase();
    if (!isHeaderName(given) || typeof text !== 'string' || !HEADER_VALUE.test(text))
      add('Each header must have a valid name and a text of visible ASCII characters, spaces and tabs.');
    else if (isOwnHeader(name)) add(`The header ${name} is set by Segue: leave it out.`);
    else if (name === 'authorization' || name === secretHeader?.toLowerCase())
      add('The header with the secret is set by Segue: leave it out, and give the secret with --secret-from-stdin.');
    else if (read.has(name)) add('headers must not have the same name twice, in whatever case.');
    else read.set(name, text);
    length += given.length + (typeof text === 'string' ? text.length : 0);
  }
  if (length > REQUEST_LIMITS.headerCharacters)
    add(`headers must have at most ${REQUEST_LIMITS.headerCharacters} characters.`);
  return Object.fromEntries(read);
}

/** Returns the text of a body, and the header of its type if the body is a JSON value. */
function readBody(body: unknown): { readonly text?: string; readonly type?: Record<string, string> } {
  if (body === undefined || body === null) return {};
  if (typeof body === 'string') return { text: body };
  return { text: JSON.stringify(body), type: { 'content-type': 'application/json' } };
}
