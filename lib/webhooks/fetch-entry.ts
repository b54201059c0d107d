import { LIMITS } from '../contract/limits.ts';
import { Problem } from '../contract/problem.ts';
import type { ReadLiveSecrets } from '../credentials/live-secrets.ts';
import { allowedUrl } from '../service/allowed-hosts.ts';
import { type Deadline, within } from '../service/deadline.ts';
import type { PublicTransport, Sent } from '../service/http-client/public-transport.ts';
import { isBusyStatus, retryAfterSeconds } from '../service/retry.ts';
import { FetchFailure } from './fetch-failure.ts';
import { MAPPING_LIMITS } from './mapping/limits.ts';
import type { Mapper, MappingInput } from './mapping/mapper.ts';
import { readJson } from './mapping/read-body.ts';
import type { SourceFetch } from './sources.ts';

/** The limits of the fetches for one message. */
export const FETCH_LIMITS = {
  /** The time for all requests, in milliseconds. */
  ms: 10_000,
  /** The size of all bodies together, in bytes. Each counts before and after decoding. */
  bytes: LIMITS.bodyBytes,
  /** How many URLs an expression may return. */
  urls: 5,
  /** How many redirects a request follows. */
  redirects: 3,
  urlCharacters: 2_048,
} as const;

/** The dependencies of `entryFetcher`. */
export interface EntryFetcherDeps {
  readonly mapper: Pick<Mapper, 'apply'>;
  readonly secretsOf: ReadLiveSecrets;
  /** Returns a transport with a limit of time, in milliseconds, and of the body, in bytes. */
  readonly transportWith: (timeoutMs: number, maxAnswerBytes: number) => PublicTransport;
  /** Returns the time, in milliseconds since 1970. */
  readonly now: () => number;
}

/** What a fetch needs to know of its delivery. */
export interface FetchCall {
  /** The time that the expression sees, in milliseconds since 1970. */
  readonly nowMs: number;
  readonly deadline: Deadline;
}

/**
 * Gets the entry of a message from the content system.
 * @returns the entry as JSON, or an array of entries if the expression returns an array; `undefined` if the expression
 * returns nothing
 * @throws {FetchFailure} if the expression gives no allowed URL, or the entry cannot be had
 * @throws {Problem} `mapping-failed` if the expression fails; `unavailable` if the secret cannot be read
 */
export type FetchEntry = (fetch: SourceFetch, input: MappingInput, call: FetchCall) => Promise<string | undefined>;

/** Creates the function that gets entries from content systems. */
export function entryFetcher({ mapper, secretsOf, ...deps }: EntryFetcherDeps): FetchEntry {
  const getEntries = entryGetter(deps);
  return async (fetch, input, { nowMs, deadline }) => {
    const urls = await fetchUrls(mapper, fetch, input, nowMs);
    if (!urls) return undefined;
    return getEntries(urls, { hosts: fetch.hosts, secretHeader: await readSecretHeader(fetch), deadline });
  };

  async function readSecretHeader({ header, secretsAt }: SourceFetch): Promise<Readonly<Record<string, string>>> {
    if (header === undefined || secretsAt === undefined) return {};
    const [secret = ''] = await secretsOf({ secretsAt });
    return { [header]: secret };
  }
}

/** How entries are got. */
export interface GetOptions {
  /** The hosts to which requests may go. */
  readonly hosts: readonly string[];
  /** The header with the secret, if there is one. */
  readonly secretHeader: Readonly<Record<string, string>>;
  readonly deadline: Deadline;
}

/**
 * Gets the entries behind checked URLs.
 * @returns the entry as JSON, or an array of entries for a list
 * @throws {FetchFailure} if an entry cannot be had
 */
export type GetEntries = (urls: FetchUrls, options: GetOptions) => Promise<string>;

/** Creates the function that gets the entries behind URLs. */
export function entryGetter({ transportWith, now }: Pick<EntryFetcherDeps, 'transportWith' | 'now'>): GetEntries {
  return async ({ urls, isList }, { deadline, ...options }) => {
    const own = within(FETCH_LIMITS.ms, deadline, now);
    const entries: string[] = [];
    let bytesLeft: number = FETCH_LIMITS.bytes;
    for (const url of urls) {
      const bytes = await get(url, { ...options, deadline: own }, bytesLeft);
      bytesLeft -= bytes.length;
      entries.push(jsonIn(bytes, url));
    }
    return isList ? `[${entries.join()}]` : (entries[0] ?? 'null');
  };

  /** Gets the body behind a URL. It follows redirects to allowed hosts. */
  async function get(first: URL, { hosts, secretHeader, deadline }: GetOptions, maxBytes: number): Promise<Uint8Array> {
    let url = first;
    for (let redirects = 0; ; redirects++) {
      // Another host gets the secret only if the expression itself names it.
      const secret = url.origin === first.origin ? secretHeader : {};
      const send = transportWith(Math.max(1, deadline.remainingMs()), maxBytes);
      const sent = await send({ method: 'GET', url: url.href, headers: { ...HEADERS, ...secret } });
      const location = redirectOf(sent);
      if (location === undefined) return bodyOf(sent, url, maxBytes, now());
      if (redirects === FETCH_LIMITS.redirects)
        throw new FetchFailure(`${first.host} redirected more than ${FETCH_LIMITS.redirects} times.`);
      const next = URL.canParse(location, url.href) ? allowedUrl(new URL(location, url).href, hosts) : undefined;
      if (!next) throw new FetchFailure(`${url.host} redirected to a URL whose host is not allowed for this fetch.`);
      url = next;
    }
  }
}

const HEADERS = { accept: 'application/json', 'accept-encoding': 'gzip', 'user-agent': 'Segue' } as const;

/** The URLs that a fetch expression returns. */
export interface FetchUrls {
  readonly urls: readonly URL[];
  /** Whether the expression returns an array. */
  readonly isList: boolean;
}

/**
 * Runs a fetch expression, and checks every URL that it returns. Fetches nothing.
 * @returns `undefined` if the expression returns nothing
 * @throws {FetchFailure} if the result is anything but allowed URLs
 * @throws {Problem} `mapping-failed` if the expression fails
 */
export async function fetchUrls(
  mapper: Pick<Mapper, 'apply'>,
  { url, hosts }: Pick<SourceFetch, 'url' | 'hosts'>,
  input: MappingInput,
  nowMs: number,
): Promise<FetchUrls | undefined> {
  return readFetchUrls(await mapper.apply(url, input, nowMs, 'fetch expression'), hosts);
}

/**
 * Checks the result of a fetch expression.
 * @returns `undefined` if there is no result
 * @throws {FetchFailure} if the result is anything but allowed URLs
 */
export function readFetchUrls(result: unknown, hosts: readonly string[]): FetchUrls | undefined {
  if (result === undefined || result === null) return undefined;
  const isList = Array.isArray(result);
  return { urls: readUrls(isList ? result : [result], hosts), isList };
}

function readUrls(texts: readonly unknown[], hosts: readonly string[]): readonly URL[] {
  if (texts.length > FETCH_LIMITS.urls)
    throw new FetchFailure(
      `The fetch expression returns ${texts.length} URLs. It may return at most ${FETCH_LIMITS.urls}.`,
    );
  return texts.map((text) => {
    // The result may have content of the message, so the text of the problem does not quote it.
    if (typeof text !== 'string' || text.length > FETCH_LIMITS.urlCharacters || !URL.canParse(text))
      throw new FetchFailure(
        `The fetch expression must return a URL such as https://${hosts[0]}/…, an array of URLs, or no value.`,
      );
    const url = allowedUrl(text, hosts);
    if (url) return url;
    throw new FetchFailure(
      'The fetch expression returns a URL that is not https, has a user name, or has a host that is not allowed. Allow hosts with --fetch-host, and those of a destination with --host.',
    );
  });
}

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

function redirectOf(sent: Sent): string | undefined {
  return sent.kind === 'answered' && REDIRECTS.includes(sent.status) ? sent.headers.location : undefined;
}

/** Returns the body of an answer. @throws {FetchFailure} if there is none, or it is no JSON */
function bodyOf(sent: Sent, { host }: URL, maxBytes: number, nowMs: number): Uint8Array {
  if (sent.kind === 'address-refused')
    throw new FetchFailure(
      `${host} has an address that is not public. Only a Segue on this machine fetches from http://127.0.0.1:<port>, if you start it with npm start -- --allow-loopback-events.`,
    );
  if (sent.kind === 'no-answer') throw new FetchFailure(`${host} did not answer: ${sent.code}.`, 'always');
  const { status, headers, body } = sent;
  if (status < 200 || status >= 300) {
    const detail = `${host} answered ${status}.${HINTS[status] ?? ''}`;
    if (status === 404) throw new FetchFailure(detail, 'missing');
    throw isBusyStatus(status)
      ? new FetchFailure(detail, 'always', retryAfterSeconds(headers['retry-after'], nowMs))
      : new FetchFailure(detail);
  }
  const [mediaType = ''] = (headers['content-type'] ?? '').split(';');
  if (!JSON_TYPE.test(mediaType.trim()))
    throw new FetchFailure(`${host} answered ${status}, but not with JSON: its Content-Type must be application/json.`);
  if (body === 'lost') throw new FetchFailure(`The connection to ${host} ended before the body did.`, 'always');
  if (body !== 'unusable') return body;
  const allowed = `All bodies together may have at most ${FETCH_LIMITS.bytes} bytes.`;
  const isShared = maxBytes < FETCH_LIMITS.bytes ? ` Earlier ones left ${maxBytes}.` : '';
  throw new FetchFailure(
    headers['content-encoding'] === undefined
      ? `The body of ${host} is too large. ${allowed}${isShared}`
      : `The body of ${host} is too large after decoding, or has a coding other than gzip. ${allowed}${isShared}`,
  );
}

const HINTS: Readonly<Record<number, string>> = {
  401: ' Check the secret and the header of the fetch.',
  403: ' Check the rights of the secret of the fetch.',
  404: ' The entry does not exist, or is not published.',
};

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json$/i;

/** Checks a body like that of a message, and returns it as JSON. @throws {FetchFailure} */
function jsonIn(bytes: Uint8Array, { host }: URL): string {
  try {
    return JSON.stringify(readJson(bytes, MAPPING_LIMITS.levels, 'fetched body'));
  } catch (error) {
    // The faults have names of the body's fields, so they are dropped.
    throw error instanceof Problem ? new FetchFailure(`${host}: ${error.message}`) : error;
  }
}
