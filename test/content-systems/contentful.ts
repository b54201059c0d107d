import { createHmac } from 'node:crypto';
import * as z from 'zod/mini';
import { parsedOr } from './json-body.ts';
import { type ApiAnswer, type ApiRequest, clock, type FaultRates, type ReceivedRequest, serveApi } from './stand-in.ts';
import { type WebhookSender, webhookSender } from './webhooks.ts';

/** The texts of an entry: a text for each field and locale. */
export type LocalisedFields = Record<string, Record<string, string>>;

export interface ContentfulOptions {
  /** Returns the URL of the webhook now. */
  readonly webhookUrl: () => string;
  readonly faults: FaultRates;
  /** The pause before the system repeats a failed webhook call, in milliseconds. */
  readonly pauseMs?: number;
  /** How often the system repeats a failed webhook call. */
  readonly retries?: number;
}

/** The state of an entry, as its editors see it. */
interface Entry {
  fields: LocalisedFields;
  version: number;
  publishedVersion?: number;
  publishedCounter: number;
  readonly createdAtMs: number;
  updatedAtMs: number;
}

/** A stand-in for Contentful: what its editors do, its Content Management API for entries, and its webhooks. */
export interface Contentful extends AsyncDisposable {
  /** The base URL of the API. */
  readonly url: string;
  readonly token: string;
  /** The secret that signs the webhook calls. */
  readonly secret: string;
  readonly webhooks: WebhookSender;
  readonly received: readonly ReceivedRequest[];
  /** Changes texts of an entry as an editor does; creates the entry if it does not exist. */
  save(id: string, fields: LocalisedFields): void;
  publish(id: string): void;
  unpublish(id: string): void;
  /** Returns the texts of an entry, published or not. */
  fields(id: string): LocalisedFields;
}

const SPACE = 'cfexampleapi';
const ENVIRONMENT = 'master';
const CONTENT_TYPE = 'article';
const LOCALES = ['en-US', 'de-DE', 'es-ES'];
/** Contentful repeats a failed call twice, with a pause of 30 seconds. Customers of some plans can set up to 99. */
const RETRIES = 2;

const link = (linkType: string, id: string) => ({ sys: { type: 'Link', linkType, id } });
const utc = (ms: number) => new Date(ms).toISOString();
const failure = (status: number, id: string, message = id): ApiAnswer => ({
  status,
  body: { sys: { type: 'Error', id }, message },
});

const Patch = z.array(
  z.object({ op: z.enum(['add', 'replace', 'remove']), path: z.string(), value: z.optional(z.unknown()) }),
);

export async function startContentful(options: ContentfulOptions): Promise<Contentful> {
  const { webhookUrl, faults, pauseMs = 50, retries = RETRIES } = options;
  const token = 'CFPAT-a-token-for-tests-only';
  const secret = 'a-secret-for-tests-only-'.padEnd(64, '0');
  const entries = new Map<string, Entry>();
  const now = clock();
  const webhooks = webhookSender({ url: webhookUrl, retries, pauseMs, faults });

  function entryOf(id: string): Entry {
    const entry = entries.get(id);
    if (!entry) throw new RangeError('There is no such entry');
    return entry;
  }

  function sysOf(id: string): object {
    return {
      id,
      space: link('Space', SPACE),
      environment: link('Environment', ENVIRONMENT),
      contentType: link('ContentType', CONTENT_TYPE),
    };
  }

  function call(action: string, payload: object): void {
    const body = JSON.stringify(payload);
    const sent = {
      'content-type': 'application/vnd.contentful.management.v1+json',
      'x-contentful-topic': `ContentManagement.Entry.${action}`,
      'x-contentful-webhook-name': 'Segue',
    };
    const headers = (atMs: number) =>
      signed({ path: new URL(webhookUrl()).pathname, headers: sent, body }, secret, atMs);
    webhooks.send({ headers, body });
  }

  function managed(id: string, entry: Entry): object {
    const { version, publishedVersion, publishedCounter, createdAtMs, updatedAtMs, fields } = entry;
    const times = { createdAt: utc(createdAtMs), updatedAt: utc(updatedAtMs) };
    const versions = { version, publishedCounter, ...(publishedVersion !== undefined && { publishedVersion }) };
    return { metadata: { tags: [] }, sys: { type: 'Entry', ...sysOf(id), ...times, ...versions }, fields };
  }

  function answer(request: ApiRequest): ApiAnswer {
    if (request.headers.authorization !== `Bearer ${token}`) return failure(401, 'AccessTokenInvalid');
    const path = `/spaces/${SPACE}/environments/${ENVIRONMENT}/entries/`;
    const id = request.path.startsWith(path) ? decodeURIComponent(request.path.slice(path.length)) : '';
    const entry = entries.get(id);
    if (!entry) return failure(404, 'NotFound');
    if (request.method === 'GET') return { status: 200, body: managed(id, entry) };
    if (request.method !== 'PATCH') return failure(404, 'NotFound');
    const refused = patch(entry, request);
    if (refused) return refused;
    entry.version += 1;
    entry.updatedAtMs = now();
    call('save', managed(id, entry));
    return { status: 200, body: managed(id, entry) };
  }

  const server = await serveApi(answer, faults);
  return {
    url: `http://${server.address}`,
    token,
    secret,
    webhooks,
    received: server.received,
    save(id, fields) {
      const atMs = now();
      const entry = entries.get(id);
      const version = (entry?.version ?? 0) + 1;
      const { publishedCounter = 0, createdAtMs = atMs } = entry ?? {};
      const merged = { ...entry?.fields };
      for (const [field, texts] of Object.entries(fields)) merged[field] = { ...merged[field], ...texts };
      entries.set(id, { ...entry, fields: merged, version, publishedCounter, createdAtMs, updatedAtMs: atMs });
    },
    publish(id) {
      const entry = entryOf(id);
      entry.publishedVersion = entry.version;
      entry.version += 1;
      entry.publishedCounter += 1;
      const { fields, publishedVersion, publishedCounter: revision, createdAtMs } = entry;
      const times = { createdAt: utc(createdAtMs), updatedAt: utc(now()) };
      const sys = { type: 'Entry', ...sysOf(id), revision, ...times, publishedVersion };
      call('publish', { metadata: { tags: [] }, sys, fields });
    },
    unpublish(id) {
      const entry = entryOf(id);
      delete entry.publishedVersion;
      entry.version += 1;
      const at = utc(now());
      const times = { createdAt: at, updatedAt: at, deletedAt: at };
      call('unpublish', { sys: { type: 'DeletedEntry', ...sysOf(id), revision: entry.publishedCounter, ...times } });
    },
    fields: (id) => structuredClone(entryOf(id).fields),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** Applies a JSON Patch to the texts of an entry, all or nothing. @returns the answer of a refusal */
function patch(entry: Entry, { headers, body }: ApiRequest): ApiAnswer | undefined {
  if (headers['content-type'] !== 'application/json-patch+json') return failure(415, 'UnsupportedMediaType');
  const version = headers['x-contentful-version'];
  if (version === undefined) return failure(400, 'BadRequest', 'X-Contentful-Version is missing');
  if (version !== String(entry.version)) return failure(409, 'VersionMismatch');
  const operations = parsedOr(Patch, body);
  if (!operations) return failure(400, 'BadRequest', 'The body is not a JSON Patch');
  const fields = structuredClone(entry.fields);
  for (const { op, path, value } of operations) {
    const [root, kind, field = '', locale = '', ...rest] = path.split('/');
    const texts = fields[field];
    // An operation on a field that the entry lacks fails, even if the content type has the field.
    if (root !== '' || kind !== 'fields' || rest.length > 0 || !texts) return failure(422, 'ValidationFailed');
    if (!LOCALES.includes(locale)) return failure(422, 'ValidationFailed', 'The environment has no such locale');
    if (op !== 'add' && texts[locale] === undefined) return failure(422, 'ValidationFailed');
    if (op === 'remove') delete texts[locale];
    else if (typeof value === 'string') texts[locale] = value;
    else return failure(422, 'ValidationFailed', 'The value is not a text');
  }
  entry.fields = fields;
  return undefined;
}

/** A request before it is signed. */
interface Unsigned {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Signs a request as Contentful's request verification describes it. @returns all headers of the request */
function signed({ path, headers, body }: Unsigned, secret: string, atMs: number): Record<string, string> {
  const names = [...Object.keys(headers), 'x-contentful-signed-headers', 'x-contentful-timestamp'].sort();
  const all: Record<string, string> = {
    ...headers,
    'x-contentful-signed-headers': names.join(','),
    'x-contentful-timestamp': String(atMs),
  };
  const canonical = ['POST', encodeURI(path), names.map((name) => `${name}:${all[name]}`).join(';'), body].join('\n');
  return { ...all, 'x-contentful-signature': createHmac('sha256', secret).update(canonical).digest('hex') };
}
