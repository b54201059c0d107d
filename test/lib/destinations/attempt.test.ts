import { describe, expect, it } from 'vitest';
import { mappingFailed } from '../../../lib/contract/failures.ts';
import { RESULT_DELIVERIES, resultIdOf } from '../../../lib/destinations/deliveries.ts';
import { MAX_INPUT_BYTES } from '../../../lib/destinations/input.ts';
import type { Sent } from '../../../lib/service/http-client/public-transport.ts';
import { MappingOverLimit } from '../../../lib/webhooks/mapping/mapper.ts';
import { answered } from '../../support/answered.ts';
import { callContext } from '../support.ts';
import { DestinationWorld, put } from './world.ts';

const DOWN: Sent = { kind: 'no-answer', code: 'ECONNREFUSED' };
const HOUR_MS = 3_600_000;

/** A world with a destination, to which the translations of a project were delivered. */
async function delivered() {
  const world = new DestinationWorld();
  await world.add();
  const id = await world.page({ a: 'one', b: 'two' });
  await world.deliver();
  return { world, id };
}

/** Replaces the content of a project. */
function change(world: DestinationWorld, id: number, contents: Readonly<Record<string, string>>) {
  const segments = Object.entries(contents).map(([customId, content]) => ({ customId, content }));
  const targetLanguages = [{ targetLanguageCode: 'de-DE', serviceAutomaticTranslation: true }];
  return world.service.put({ ref: { id }, project: world.checked({ targetLanguages, segments }) }, callContext());
}

describe('a completed language', () => {
  it('is sent once, with an idempotency key', async () => {
    const { world, id } = await delivered();
    await world.deliver();
    expect(world.sent).toMatchObject([{ method: 'PUT', url: `https://cms.example/${id}/de-DE` }]);
    expect(world.bodies()).toEqual([{ a: 'de-DE: one*', b: 'de-DE: two*' }]);
    const [{ headers } = { headers: {} }] = world.sent;
    expect(headers).toMatchObject({ 'user-agent': 'Segue', 'content-type': 'application/json' });
    expect(headers).toHaveProperty('idempotency-key', expect.stringMatching(/^event-\d+-\d+-[0-9a-f]{12}-1$/));
    expect(world.inputs).toMatchObject([
      { event: { type: 'language.completed' }, project: { id }, language: { languageId: 53, languageCode: 'de-DE' } },
    ]);
  });

  it('is sent again after a put, with `changed` for the new translation only', async () => {
    const { world, id } = await delivered();
    await change(world, id, { a: 'one', b: 'new' });
    await world.deliver();
    expect(world.bodies()[1]).toEqual({ a: 'de-DE: one', b: 'de-DE: new*' });
    await change(world, id, { b: 'new', a: 'one', c: 'three' });
    await world.deliver();
    expect(world.bodies()[2]).toEqual({ b: 'de-DE: new', a: 'de-DE: one', c: 'de-DE: three*' });
  });

  it('is compared with what this destination last got', async () => {
    const { world, id } = await delivered();
    world.answer = () => answered(400);
    await change(world, id, { a: 'one', b: 'new' });
    await world.deliver();
    world.answer = () => answered(200);
    await change(world, id, { a: 'one', b: 'newer' });
    await world.deliver();
    expect(world.bodies()[2]).toEqual({ a: 'de-DE: one', b: 'de-DE: newer*' });
    await world.add({ name: 'shop' });
    await change(world, id, { a: 'one', b: 'newest' });
    await world.deliver();
    expect(new Set(world.bodies().slice(3))).toEqual(
      new Set([
        { a: 'de-DE: one', b: 'de-DE: newest*' },
        { a: 'de-DE: one*', b: 'de-DE: newest*' },
      ]),
    );
  });

  it('is remembered by salted hashes, in which no content can be found', async () => {
    const { world } = await delivered();
    const kept = JSON.stringify(world.kept());
    expect(kept).not.toMatch(/de-DE: |cms\.example/);
  });

  it('goes to no destination that does not want it, and to none of another company', async () => {
    const world = new DestinationWorld();
    await world.add({ on: ['project.deleted'] });
    await world.add({ name: 'other', companyId: 'other' });
    await world.page({ a: 'one' });
    await world.deliver();
    expect(world.sent).toEqual([]);
  });
});

describe('the requests of a delivery', () => {
  const many = (count: number) => () =>
    Array.from({ length: count }, (_, n) => ({ method: 'POST', url: `https://cms.example/${n + 1}`, body: 'x' }));
  const paths = (world: DestinationWorld) => world.sent.map(({ url }) => new URL(url).pathname);

  it('go in order, and a retry goes on with the one that failed', async () => {
    const world = new DestinationWorld();
    await world.add();
    world.map = many(3);
    world.answer = ({ url }) => (url.endsWith('/2') && world.sent.length === 2 ? DOWN : answered(200));
    await world.page({ a: 'one' });
    await world.deliver();
    expect(paths(world)).toEqual(['/1', '/2']);
    world.nowMs += HOUR_MS;
    await world.run();
    expect(paths(world)).toEqual(['/1', '/2', '/2', '/3']);
    const keys = world.sent.map(({ headers }) => headers['idempotency-key']?.split('-').at(-1));
    expect(keys).toEqual(['1', '2', '2', '3']);
    expect(await world.open()).toEqual([]);
  });

  it('go all again if they have changed since', async () => {
    const world = new DestinationWorld();
    await world.add();
    world.map = many(2);
    world.answer = ({ url }) => (url.endsWith('/2') ? DOWN : answered(200));
    await world.page({ a: 'one' });
    await world.deliver();
    world.map = many(3);
    world.answer = () => answered(200);
    world.nowMs += HOUR_MS;
    await world.run();
    expect(paths(world)).toEqual(['/1', '/2', '/1', '/2', '/3']);
  });

  it('stop when the time of an attempt is over, and go on at once', async () => {
    const world = new DestinationWorld();
    await world.add();
    world.map = many(4);
    world.answer = () => {
      world.nowMs += 10_000;
      return answered(200);
    };
    await world.page({ a: 'one' });
    await world.deliver();
    expect(paths(world)).toEqual(['/1', '/2', '/3']);
    await world.run();
    expect(paths(world)).toEqual(['/1', '/2', '/3', '/4']);
  });

  it('have the secret, which neither the mapping nor a record sees', async () => {
    const world = new DestinationWorld();
    await world.add({}, { header: 'X-Token', secret: 'CANARY one' });
    const id = await world.page({ a: 'one' });
    await world.deliver();
    await world.admin.rotate('cms', 'CANARY two');
    await change(world, id, { a: 'two' });
    await world.deliver();
    expect(world.sent.map(({ headers }) => headers['x-token'])).toEqual(['CANARY one', 'CANARY two']);
    expect(JSON.stringify([world.inputs, world.storage.all(), world.kept()])).not.toContain('CANARY');
    expect(world.secrets.texts.size).toBe(1);
  });

  it('may be none', async () => {
    const { world, id } = await delivered();
    world.map = () => undefined;
    await change(world, id, { a: 'new', b: 'two' });
    await world.deliver();
    world.map = put;
    await change(world, id, { a: 'new', b: 'newer' });
    await world.deliver();
    expect(world.bodies()[1]).toEqual({ a: 'de-DE: new*', b: 'de-DE: newer*' });
  });
});

describe('a failed attempt', () => {
  it.each([408, 425, 429, 500, 503, DOWN])('is repeated for three days after %j, then a dead letter', async (end) => {
    const world = new DestinationWorld();
    await world.add();
    world.answer = () => (typeof end === 'number' ? answered(end) : end);
    await world.page({ a: 'one' });
    const startMs = world.nowMs;
    await world.deliver();
    expect(await world.open()).toHaveLength(1);
    for (let hours = 0; hours < 80; hours++) {
      world.nowMs += HOUR_MS;
      await world.run();
    }
    expect(await world.open()).toEqual([]);
    const [letter] = await world.letters();
    const failure = typeof end === 'number' ? { reason: 'status', status: end } : { reason: 'no-answer' };
    expect(letter).toMatchObject({ kind: 'dead', failure });
    expect((letter?.endedAtMs ?? 0) - startMs).toBeGreaterThanOrEqual(RESULT_DELIVERIES.retry.openMs);
    expect(world.sent.length).toBeGreaterThan(10);
  });

  it('waits as long as the receiver says', async () => {
    const world = new DestinationWorld();
    await world.add();
    world.answer = () => answered(503, '1800');
    await world.page({ a: 'one' });
    await world.deliver();
    world.nowMs += 1_700_000;
    await world.run();
    expect(world.sent).toHaveLength(1);
    world.nowMs += 200_000;
    await world.run();
    expect(world.sent).toHaveLength(2);
  });

  it.each([301, 302, 400, 401, 404, 409, 410, 422])('becomes a dead letter after %i', async (status) => {
    const world = new DestinationWorld();
    await world.add();
    world.answer = () => answered(status);
    await world.page({ a: 'one' });
    await world.deliver();
    expect(await world.letters()).toMatchObject([{ attempts: 1, failure: { reason: 'status', status, request: 1 } }]);
    expect(world.attempts.at(-1)).toMatchObject({ end: 'dead', error: { code: `status-${status}` } });
  });

  it('is a dead letter if the host is not one of the destination', async () => {
    const world = new DestinationWorld();
    await world.add();
    world.map = () => ({ method: 'POST', url: 'https://evil.example/CANARY', body: 'CANARY' });
    await world.page({ a: 'one' });
    await world.deliver();
    expect(world.sent).toEqual([]);
    expect(await world.letters()).toMatchObject([{ failure: { reason: 'host-refused', request: 1 } }]);
    expect(JSON.stringify(world.kept())).not.toContain('CANARY');
  });

  it('is a dead letter if the transport refuses the address', async () => {
    const world = new DestinationWorld();
    await world.add();
    world.answer = () => ({ kind: 'address-refused' });
    await world.page({ a: 'one' });
    await world.deliver();
    expect(await world.letters()).toMatchObject([{ failure: { reason: 'address-refused' } }]);
  });

  it('is a dead letter if the mapping fails, and after three times if it takes too long', async () => {
    const world = new DestinationWorld();
    await world.add();
    world.map = () => {
      throw mappingFailed('The mapping fails at line 1.');
    };
    const id = await world.page({ a: 'one' });
    await world.deliver();
    expect(await world.letters()).toMatchObject([{ failure: { reason: 'mapping-failed' } }]);
    world.map = () => {
      throw new MappingOverLimit('The mapping took too long.');
    };
    await change(world, id, { a: 'two' });
    await world.deliver();
    for (const open of [1, 1, 0]) {
      expect(await world.open()).toHaveLength(open);
      world.nowMs += HOUR_MS;
      await world.run();
    }
    expect(await world.letters()).toHaveLength(2);
  });

  it('is a dead letter if a language is too large for a mapping', async () => {
    const world = new DestinationWorld();
    await world.add();
    const content = 'x'.repeat(MAX_INPUT_BYTES / 8);
    await world.page(Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((id) => [id, content.slice(0, 900_000)])));
    await world.deliver();
    expect(world.inputs).toEqual([]);
    expect(await world.letters()).toMatchObject([{ failure: { reason: 'too-large' } }]);
  });

  it('waits for the secret if it cannot be read', async () => {
    const world = new DestinationWorld();
    await world.add({}, { header: 'X-Token', secret: 'CANARY' });
    await world.page({ a: 'one' });
    await world.workUntilDone();
    await world.move();
    await world.run({ secretOf: async () => Promise.reject(new Error('CANARY')) });
    expect(await world.open()).toMatchObject([{ failure: { reason: 'no-secret' } }]);
    expect(world.sent).toEqual([]);
    world.nowMs += HOUR_MS;
    await world.run();
    expect(world.sent).toHaveLength(1);
  });

  it('waits while the company is suspended', async () => {
    const world = new DestinationWorld();
    await world.add();
    await world.page({ a: 'one' });
    world.suspended.add('acme');
    await world.deliver();
    expect(world.sent).toEqual([]);
    world.suspended.clear();
    world.nowMs += HOUR_MS;
    await world.run();
    expect(world.sent).toHaveLength(1);
  });
});

describe('a redrive', () => {
  it('sends the translations as they are then', async () => {
    const world = new DestinationWorld();
    await world.add();
    world.answer = () => answered(400);
    const id = await world.page({ a: 'one' });
    await world.deliver();
    const [letter] = await world.letters();
    if (!letter) throw new Error('There is no dead letter');
    world.answer = () => answered(200);
    await world.service.writeTranslations(
      { id },
      [{ segmentCustomId: 'a', languageId: 53, languageCode: 'de-DE', content: 'eins', status: 'translated' }],
      callContext(),
    );
    expect(await world.results.redrive(letter)).toBe(true);
    expect(await world.results.redrive(letter)).toBe(false);
    await world.run();
    expect(world.bodies()[1]).toEqual({ a: 'eins*' });
    expect(await world.results.delivery(letter)).toMatchObject({ kind: 'done', end: 'sent' });
    expect(resultIdOf(letter)).toMatch(new RegExp(`^${id}-53-\\d+$`));
  });

  it('sends nothing if a newer event has brought the language', async () => {
    const world = new DestinationWorld();
    await world.add();
    world.answer = () => answered(400);
    const id = await world.page({ a: 'one' });
    await world.deliver();
    world.answer = () => answered(200);
    await change(world, id, { a: 'two' });
    await world.deliver();
    const [letter] = await world.letters();
    if (!letter) throw new Error('There is no dead letter');
    await world.results.redrive(letter);
    await world.run();
    expect(world.sent).toHaveLength(2);
    expect(await world.results.delivery(letter)).toMatchObject({ kind: 'done', end: 'superseded' });
  });
});

describe('a destination', () => {
  it('that is removed gets nothing more, and what it remembered is erased', async () => {
    const { world, id } = await delivered();
    await change(world, id, { a: 'new', b: 'two' });
    await world.workUntilDone();
    await world.move();
    await world.admin.remove('cms');
    await world.run();
    expect(world.sent).toHaveLength(1);
    expect(world.secrets.texts.size).toBe(0);
    expect(world.remembered()).toEqual([]);
  });

  it('that is removed while it gets translations gets no further request, and nothing is remembered of them', async () => {
    const world = new DestinationWorld();
    await world.add();
    world.map = () => [1, 2].map((n) => ({ method: 'POST', url: `https://cms.example/${n}` }));
    world.answer = async () => {
      await world.admin.remove('cms');
      return answered(200);
    };
    await world.page({ a: 'one' });
    await world.deliver();
    expect(world.sent).toHaveLength(1);
    expect(await world.open()).toEqual([]);
    world.map = put;
    await world.add();
    await world.page({ a: 'two' });
    await world.deliver();
    expect(world.sent).toHaveLength(2);
    expect(world.remembered()).toEqual([]);
  });

  it('with the name of a removed one does not get its deliveries', async () => {
    const { world, id } = await delivered();
    await change(world, id, { a: 'new', b: 'two' });
    await world.workUntilDone();
    await world.move();
    await world.admin.remove('cms');
    await world.add();
    await world.run();
    expect(world.sent).toHaveLength(1);
  });

  it('uses a changed mapping and changed hosts for open deliveries', async () => {
    const world = new DestinationWorld();
    await world.add({ hosts: ['other.example'] });
    await world.page({ a: 'one' });
    await world.workUntilDone();
    await world.move();
    await world.admin.change('cms', { hosts: ['cms.example'] });
    await world.run();
    expect(world.sent).toHaveLength(1);
  });
});

it('reads and stores nothing without a destination', async () => {
  const world = new DestinationWorld();
  await world.page({ a: 'one' });
  await world.deliver();
  expect(world.kept()).toEqual([]);
});

it('reads one large language at a time, and small ones beside it', async () => {
  const world = new DestinationWorld();
  for (const companyId of ['acme', 'b', 'c']) await world.add({ name: companyId, companyId });
  const content = 'x'.repeat(400_000);
  const large = Object.fromEntries(['a', 'b', 'c', 'd'].map((id) => [id, content]));
  await world.page(large, {}, 'acme');
  await world.page(large, {}, 'b');
  await world.page({ a: 'small' }, {}, 'c');
  await world.workUntilDone();
  for (const companyId of ['acme', 'b', 'c']) await world.move(companyId);
  const isSmallMapped = Promise.withResolvers<void>();
  let [running, most] = [0, 0];
  await world.run({
    mapper: {
      async applyToJson(_, json) {
        if (json.length < content.length) {
          isSmallMapped.resolve();
          return undefined;
        }
        most = Math.max(most, ++running);
        await isSmallMapped.promise;
        running--;
        return undefined;
      },
    },
  });
  expect(most).toBe(1);
  expect(await world.open()).toEqual([]);
});
