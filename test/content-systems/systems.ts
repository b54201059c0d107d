import { onTestFinished } from 'vitest';
import type { Random } from '../../packages/simulator/random.ts';
import { startContentful } from './contentful.ts';
import type { FaultRates, ReceivedRequest } from './stand-in.ts';
import { startStrapi } from './strapi.ts';
import type { WebhookSender } from './webhooks.ts';

/** The texts of a page, by the names of their fields. */
export type Texts = Readonly<Record<string, string>>;

/** A content system with pages, as the tests of the whole way use it. */
export interface ContentSystem {
  readonly name: SystemName;
  /** The base URL of its API. */
  readonly url: string;
  /** The base URL of its API in the recipe. */
  readonly urlInRecipe: string;
  /** The variables that the commands of its page in `docs/` read. */
  readonly variables: Readonly<Record<string, string>>;
  /** The target languages of its recipe. */
  readonly languages: readonly string[];
  readonly webhooks: WebhookSender;
  /** Every request to its API so far. */
  readonly received: readonly ReceivedRequest[];
  readonly faults: FaultRates;
  /** Sets Segue's URL, which changes when Segue starts again. */
  connect(segueUrl: string): void;
  /** Sets the secret of the source, if Segue has made it. */
  setSecret(secret: string): void;
  customIdOf(page: string): string;
  /** Changes texts of a page in its source language, and publishes it. */
  publish(page: string, texts: Texts): void;
  unpublish(page: string): void;
  /** Returns the texts of a page in a target language, published or not. */
  texts(page: string, language: string): Texts;
}

interface SystemOptions {
  readonly random: Random;
  /** How often Contentful repeats a failed webhook call. Strapi never repeats one. */
  readonly retries?: number;
}

/** Starts the stand-in for a content system. It stops when the test has finished. */
export type StartSystem = (options: SystemOptions) => Promise<ContentSystem>;

export const SYSTEMS = { contentful: openContentful, strapi: openStrapi } satisfies Record<string, StartSystem>;
export type SystemName = keyof typeof SYSTEMS;

/** Returns the URL of a webhook, which follows Segue's URL. */
function webhookAt(name: SystemName) {
  let segueUrl = 'http://127.0.0.1:9';
  return {
    webhookUrl: () => `${segueUrl}/webhooks/${name}`,
    connect(url: string) {
      segueUrl = url;
    },
  };
}

async function openContentful({ random, retries }: SystemOptions): Promise<ContentSystem> {
  const { webhookUrl, connect } = webhookAt('contentful');
  const faults: FaultRates = { random, share: 0 };
  const contentful = await startContentful({ webhookUrl, faults, ...(retries !== undefined && { retries }) });
  onTestFinished(() => contentful[Symbol.asyncDispose]());
  const { url, webhooks, received, secret, token } = contentful;
  return {
    name: 'contentful',
    url,
    urlInRecipe: 'https://api.contentful.com',
    variables: { CONTENTFUL_SIGNING_SECRET: secret, CONTENTFUL_TOKEN: token },
    languages: ['de-DE', 'es-ES'],
    webhooks,
    received,
    faults,
    connect,
    setSecret: () => {},
    customIdOf: (page) => `contentful/cfexampleapi/master/${page}`,
    publish(page, texts) {
      const fields = Object.entries(texts).map(([field, text]) => [field, { 'en-US': text }]);
      contentful.save(page, Object.fromEntries(fields));
      contentful.publish(page);
    },
    unpublish: contentful.unpublish,
    texts: (page, language) =>
      Object.fromEntries(
        Object.entries(contentful.fields(page)).flatMap(([field, { [language]: text }]) =>
          text === undefined ? [] : [[field, text]],
        ),
      ),
  };
}

async function openStrapi({ random }: SystemOptions): Promise<ContentSystem> {
  const { webhookUrl, connect } = webhookAt('strapi');
  const faults: FaultRates = { random, share: 0 };
  const strapi = await startStrapi({ webhookUrl, faults });
  onTestFinished(() => strapi[Symbol.asyncDispose]());
  const { url, webhooks, received, token } = strapi;
  return {
    name: 'strapi',
    url,
    urlInRecipe: 'http://127.0.0.1:1337',
    variables: { STRAPI_API_TOKEN: token },
    languages: ['de', 'es'],
    webhooks,
    received,
    faults,
    connect,
    setSecret: strapi.setWebhookToken,
    customIdOf: (page) => `strapi/articles/${page}`,
    publish(page, texts) {
      strapi.save(page, 'en', texts);
      strapi.publish(page, 'en');
    },
    unpublish: (page) => strapi.unpublish(page, 'en'),
    texts: (page, language) => strapi.draft(page, language) ?? {},
  };
}
