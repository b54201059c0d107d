import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import type { Sent } from '../../../lib/service/http-client/public-transport.ts';
import type { GetOptions } from '../../../lib/webhooks/fetch-entry.ts';
import { FetchFailure, MISSING_MS } from '../../../lib/webhooks/fetch-failure.ts';
import type { JsonMapper } from '../../../lib/webhooks/mapping/mapper.ts';
import { answered } from '../../support/answered.ts';
import { callContext } from '../support.ts';
import { DestinationWorld } from './world.ts';

const PAGE = 'https://cms.example/page';
const SECRET = { header: 'Authorization', secret: 'Bearer secret' };
const NO_ANSWER: Sent = { kind: 'no-answer', code: 'ECONNRESET' };
const HOUR_MS = 3_600_000;

const Input = z.object({
  fetched: z.optional(z.object({ version: z.int(), texts: z.record(z.string(), z.string()) })),
  segments: z.array(z.object({ customId: z.string(), translation: z.string(), changed: z.boolean() })),
});

/** Writes the changed translations that the page lacks, at the version of the page. */
const mapper: JsonMapper = {
  async applyToJson(expression, json) {
    if (expression === 'the page') return PAGE;
    if (expression === 'no page') return undefined;
    const { fetched, segments } = Input.parse(JSON.parse(json));
    const missing = segments.filter(
      ({ customId, translation, changed }) => changed && translation !== fetched?.texts[customId],
    );
    const body = Object.fromEntries(missing.map(({ customId, translation }) => [customId, translation]));
    return missing.length === 0 ? undefined : { method: 'PUT', url: `${PAGE}/${fetched?.version ?? 'none'}`, body };
  },
};

/** A content system with one page, and a world with a destination that reads the page first. */
async function pageWorld({ fetch = 'the page' }: { readonly fetch?: string } = {}) {
  const world = new DestinationWorld();
  await world.add({ fetch }, SECRET);
  const page = { version: 1, texts: {} as Record<string, string> };
  const reads: GetOptions[] = [];
  world.getEntries = async (_, options) => {
    reads.push(options);
    return JSON.stringify(page);
  };
  /** Writes as the content system does: only at the present version. */
  world.answer = ({ url, body = '{}' }) => {
    if (url !== `${PAGE}/${page.version}`) return answered(409);
    page.version += 1;
    Object.assign(page.texts, JSON.parse(body));
    return answered(200);
  };
  const id = await world.page({ a: 'one', b: 'two' });
  async function deliver(): Promise<void> {
    await world.workUntilDone();
    await world.move();
    await world.run({ mapper });
  }
  async function change(contents: Readonly<Record<string, string>>): Promise<void> {
    const segments = Object.entries(contents).map(([customId, content]) => ({ customId, content }));
    const targetLanguages = [{ targetLanguageCode: 'de-DE', serviceAutomaticTranslation: true }];
    await world.service.put({ ref: { id }, project: world.checked({ targetLanguages, segments }) }, callContext());
    await deliver();
  }
  async function runLater(ms: number): Promise<void> {
    world.nowMs += ms;
    await world.run({ mapper });
  }
  return { world, page, reads, deliver, change, runLater };
}

const TRANSLATED = { a: 'de-DE: one', b: 'de-DE: two' };

describe('the page of a destination', () => {
  it('is read with the secret before each run of the mapping', async () => {
    const { world, page, reads, deliver } = await pageWorld();
    await deliver();
    expect(reads).toMatchObject([{ hosts: ['cms.example'], secretHeader: { authorization: 'Bearer secret' } }]);
    expect(world.sent).toMatchObject([{ url: `${PAGE}/1`, headers: { authorization: 'Bearer secret' } }]);
    expect(page.texts).toEqual(TRANSLATED);
  });

  it('is not read if the expression returns nothing', async () => {
    const { world, reads, deliver } = await pageWorld({ fetch: 'no page' });
    world.answer = () => answered(200);
    await deliver();
    expect(reads).toEqual([]);
    expect(world.sent).toMatchObject([{ url: `${PAGE}/none` }]);
  });

  it.each([409, 412])('is read again soon after %i, because somebody changed it meanwhile', async (status) => {
    const { world, page, deliver, runLater } = await pageWorld();
    const { answer } = world;
    world.answer = (request) => {
      world.answer = answer;
      page.version = 7;
      return answered(request.url === `${PAGE}/1` ? status : 200);
    };
    await deliver();
    expect(page.texts).toEqual({});
    await runLater(2_000);
    expect(world.sent.map(({ url }) => url)).toEqual([`${PAGE}/1`, `${PAGE}/7`]);
    expect(page.texts).toEqual(TRANSLATED);
  });

  it('gets nothing twice if an answer is lost, and corrections in it stay', async () => {
    const { world, page, deliver, change, runLater } = await pageWorld();
    const { answer } = world;
    world.answer = async (request) => {
      await answer(request);
      return NO_ANSWER;
    };
    await deliver();
    world.answer = answer;
    await runLater(HOUR_MS);
    expect(world.sent).toHaveLength(1);
    expect(await world.open()).toEqual([]);
    page.texts['a'] = 'corrected';
    await change({ a: 'one', b: 'new' });
    expect(page.texts).toEqual({ a: 'corrected', b: 'de-DE: new' });
  });

  it.each([
    ['is read again later if the content system has a fault', 'always', HOUR_MS, 'open'],
    ['is read again for some minutes if it does not exist', 'missing', MISSING_MS / 2, 'open'],
    ['makes a dead letter if it does not exist for long', 'missing', MISSING_MS, 'dead'],
    ['makes a dead letter if it may not be read', 'never', 0, 'dead'],
  ] as const)('%s', async (_, retry, afterMs, state) => {
    const { world, deliver, runLater } = await pageWorld();
    world.getEntries = () => Promise.reject(new FetchFailure('cms.example refused.', retry));
    await deliver();
    await runLater(afterMs);
    const letters = state === 'dead' ? [{ failure: { reason: 'fetch-failed', detail: 'cms.example refused.' } }] : [];
    expect(await world.letters()).toMatchObject(letters);
    expect(await world.open()).toHaveLength(1 - letters.length);
    expect(world.sent).toEqual([]);
  });
});

it('a conflict makes a dead letter without a fetch, because nothing would be different', async () => {
  const world = new DestinationWorld();
  await world.add();
  world.answer = () => answered(409);
  await world.page({ a: 'one' });
  await world.deliver();
  expect(await world.letters()).toMatchObject([{ failure: { reason: 'status', status: 409 } }]);
});
