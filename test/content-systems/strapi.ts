import * as z from 'zod/mini';
import { parsedOr } from './json-body.ts';
import { type ApiAnswer, type ApiRequest, clock, type FaultRates, type ReceivedRequest, serveApi } from './stand-in.ts';
import { type WebhookSender, webhookSender } from './webhooks.ts';

/** The texts of an article in one locale. */
export type Texts = Record<string, string>;

export interface StrapiOptions {
  /** Returns the URL of the webhook now. */
  readonly webhookUrl: () => string;
  readonly faults: FaultRates;
}

/** A version of an article in one locale: its draft, or what was published. */
interface Version {
  readonly texts: Texts;
  readonly updatedAtMs: number;
  readonly publishedAtMs?: number;
}

interface LocaleVersions {
  draft: Version;
  published?: Version;
}

/** A stand-in for Strapi 5: what its editors do, its REST API for articles, and its webhooks. */
export interface Strapi extends AsyncDisposable {
  /** The base URL of the API. */
  readonly url: string;
  readonly token: string;
  /** Sets the value of the header `X-Token` of the webhook calls, as an administrator does. */
  setWebhookToken(secret: string): void;
  readonly webhooks: WebhookSender;
  readonly received: readonly ReceivedRequest[];
  /** Changes texts of a draft as an editor does; creates the article or its locale if it does not exist. */
  save(documentId: string, locale: string, texts: Texts): void;
  publish(documentId: string, locale: string): void;
  unpublish(documentId: string, locale: string): void;
  /** Deletes an article in every locale. */
  remove(documentId: string): void;
  /** Returns the texts of a draft. */
  draft(documentId: string, locale: string): Texts | undefined;
}

const PATH = '/api/articles/';
const LOCALES = ['en', 'de', 'es'];
const utc = (ms: number) => new Date(ms).toISOString();
const failure = (status: number, name: string): ApiAnswer => ({
  status,
  body: { data: null, error: { status, name, message: name, details: {} } },
});

const Body = z.object({ data: z.record(z.string(), z.string()) });

export async function startStrapi({ webhookUrl, faults }: StrapiOptions): Promise<Strapi> {
  const token = 'an-api-token-for-tests-only';
  let webhookToken = '';
  const articles = new Map<string, Map<string, LocaleVersions>>();
  const now = clock();
  // Strapi sends a call once. It does not repeat a call that failed.
  const webhooks = webhookSender({ url: webhookUrl, retries: 0, pauseMs: 0, faults });

  function versionsOf(documentId: string, locale: string): LocaleVersions {
    const versions = articles.get(documentId)?.get(locale);
    if (!versions) throw new RangeError('There is no such article');
    return versions;
  }

  function entryOf(documentId: string, locale: string, { texts, updatedAtMs, publishedAtMs }: Version): object {
    const publishedAt = publishedAtMs === undefined ? null : utc(publishedAtMs);
    return { id: 1, documentId, ...texts, updatedAt: utc(updatedAtMs), publishedAt, locale };
  }

  function call(event: string, documentId: string, locale: string, version: Version): void {
    const entry = entryOf(documentId, locale, version);
    const payload = { event, createdAt: utc(now()), model: 'article', uid: 'api::article.article', entry };
    const headers = { 'x-token': webhookToken, 'x-strapi-event': event, 'content-type': 'application/json' };
    webhooks.send({ headers: () => headers, body: JSON.stringify(payload) });
  }

  function save(documentId: string, locale: string, texts: Texts): LocaleVersions {
    const locales = articles.get(documentId) ?? new Map<string, LocaleVersions>();
    const versions = locales.get(locale);
    const draft = { texts: { ...versions?.draft.texts, ...texts }, updatedAtMs: now() };
    const saved = { ...versions, draft };
    articles.set(documentId, locales.set(locale, saved));
    call('entry.update', documentId, locale, draft);
    return saved;
  }

  function publish(documentId: string, locale: string): Version {
    const versions = versionsOf(documentId, locale);
    versions.published = { ...versions.draft, publishedAtMs: now() };
    call('entry.publish', documentId, locale, versions.published);
    return versions.published;
  }

  function answer({ method, path, query, headers, body }: ApiRequest): ApiAnswer {
    if (headers.authorization !== `Bearer ${token}`) return failure(401, 'UnauthorizedError');
    const documentId = path.startsWith(PATH) ? path.slice(PATH.length) : '';
    const locale = query.get('locale') ?? 'en';
    const isDraft = query.get('status') === 'draft';
    const answered = (version: Version): ApiAnswer => ({
      status: 200,
      body: { data: entryOf(documentId, locale, version), meta: {} },
    });
    if (method === 'GET') {
      const versions = articles.get(documentId)?.get(locale);
      const version = isDraft ? versions?.draft : versions?.published;
      return version ? answered(version) : failure(404, 'NotFoundError');
    }
    if (method !== 'PUT' || !articles.has(documentId)) return failure(404, 'NotFoundError');
    const sent = parsedOr(Body, body);
    if (!sent || !LOCALES.includes(locale)) return failure(400, 'ValidationError');
    const { draft } = save(documentId, locale, sent.data);
    return answered(isDraft ? draft : publish(documentId, locale));
  }

  const server = await serveApi(answer, faults);
  return {
    url: `http://${server.address}`,
    token,
    setWebhookToken(secret) {
      webhookToken = secret;
    },
    webhooks,
    received: server.received,
    save: (documentId, locale, texts) => void save(documentId, locale, texts),
    publish: (documentId, locale) => void publish(documentId, locale),
    unpublish(documentId, locale) {
      const versions = versionsOf(documentId, locale);
      const { published } = versions;
      delete versions.published;
      if (published) call('entry.unpublish', documentId, locale, published);
    },
    remove(documentId) {
      const locales = articles.get(documentId) ?? [];
      articles.delete(documentId);
      for (const [locale, { draft, published }] of locales)
        for (const version of [draft, published]) if (version) call('entry.delete', documentId, locale, version);
    },
    draft: (documentId, locale) => structuredClone(articles.get(documentId)?.get(locale)?.draft.texts),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
