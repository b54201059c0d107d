import { describe, expect, it } from 'vitest';
import { readBasic } from '../../../lib/contract/credentials.ts';
import { httpTransport } from '../../../lib/service/http-client/transport.ts';
import type { ProjectService } from '../../../lib/service/port.ts';
import { serviceUrl } from '../../../lib/upstream/requests.ts';
import { byKind, empty, inTurn, json, made, type Play, playService, type Received } from './server.ts';
import { answered, checked, type Plays, problemOf, REQUEST_MS, World } from './world.ts';

const project = checked({ customId: 'a' });
const found = json(200, answered(project));
const secretOf = (apiKey: string) => JSON.stringify({ companyId: 'acme', apiKey });
const keyOf = ({ headers }: Received) => readBasic(headers.authorization ?? '')?.apiKey;

/** A service that accepts one key, and Segue in front of it with a secret and a project. */
async function rotating(plays: Plays = {}) {
  const world = new World();
  const play = byKind({ create: inTurn(made(), made(2_000)), read: found, ...plays });
  let valid = 'first';
  let refuse = empty(401);
  let read = async () => secretOf('first');
  let reads = 0;
  let agedMs = 0;
  const { url, received } = await playService((request, response) =>
    (keyOf(request) === valid ? play : refuse)(request, response),
  );
  const readSecret = () => {
    reads += 1;
    return read();
  };
  const transport = httpTransport(serviceUrl(url), world.now);
  const secretNow = () => world.nowMs + agedMs;
  const service = world.service(transport, { isOwnAccount: async () => true }, readSecret, secretNow);
  await service.create(project, world.call());
  received.splice(0);
  reads = 0;
  return {
    world,
    service,
    received,
    get: () => service.get({ id: 1_000 }, undefined, world.call()),
    ageSecret(ms: number) {
      agedMs += ms;
    },
    keysSent: () => received.map(keyOf),
    reads: () => reads,
    /** From now on the service accepts another key, which the secret holds, or something else. */
    rotate(key: string, secret = secretOf(key)) {
      valid = key;
      read = async () => secret;
    },
    readBy(another: () => Promise<string>) {
      read = another;
    },
    refuseBy(another: Play) {
      refuse = another;
    },
  };
}

/** Holds a refusal back until it is released. */
function holding() {
  const held = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const play: Play = async (...exchange) => {
    held.resolve();
    await released.promise;
    empty(401)(...exchange);
  };
  return { play, isHeld: held.promise, release: released.resolve };
}

describe('a rotated key', () => {
  it.each<[string, (service: ProjectService, world: World) => Promise<unknown>]>([
    ['create', (service, world) => service.create(checked(), world.call())],
    ['get', (service, world) => service.get({ id: 1_000 }, undefined, world.call())],
    ['validate', (service, world) => service.validate(checked({ customId: 'b' }), world.call())],
  ])('is used in the same request: %s', async (_, work) => {
    const { world, service, rotate, received, keysSent, reads } = await rotating();
    rotate('second');
    await work(service, world);
    expect(keysSent()).toEqual(['first', 'second']);
    const [first, second] = received.map(({ method, url, body }) => ({ method, url, body }));
    expect(second).toEqual(first);
    expect(reads()).toBe(1);
  });

  it('is used at each step of a deletion', async () => {
    const plays: Play[] = [];
    const next: Play = (...exchange) => plays.shift()?.(...exchange);
    const { world, service, rotate, received, keysSent } = await rotating({ read: next, remove: next });
    const thenRotate =
      (play: Play, key: string): Play =>
      (...exchange) => {
        rotate(key);
        play(...exchange);
      };
    rotate('second');
    plays.push(thenRotate(found, 'third'), thenRotate(empty(204), 'fourth'), empty(404), empty(404), empty(404));
    expect((await service.delete({ id: 1_000 }, { kind: 'project' }, world.call())).outcome).toBe('deleted');
    // The absence of a young project is read three times.
    const reads = ['GET', 'GET', 'GET', 'GET'];
    expect(received.map(({ method }) => method)).toEqual(['GET', 'GET', 'DELETE', 'DELETE', ...reads]);
    expect(keysSent()).toEqual(['first', 'second', 'second', 'third', 'third', 'fourth', 'fourth', 'fourth']);
  });

  it('is read once for all requests that are refused at the same time', async () => {
    const { get, rotate, readBy, refuseBy, reads } = await rotating();
    const allAreRefused = Promise.withResolvers<void>();
    let refused = 0;
    rotate('second');
    refuseBy((...exchange) => {
      refused += 1;
      if (refused === 20) allAreRefused.resolve();
      empty(401)(...exchange);
    });
    readBy(async () => {
      await allAreRefused.promise;
      return secretOf('second');
    });
    await Promise.all(Array.from({ length: 20 }, get));
    expect([refused, reads()]).toEqual([20, 1]);
  });

  it('is not read again for a late refusal of the old key', async () => {
    const { get, rotate, refuseBy, keysSent, reads } = await rotating();
    const late = holding();
    rotate('second');
    refuseBy(late.play);
    const slow = get();
    await late.isHeld;
    refuseBy(empty(401));
    await get();
    late.release();
    await slow;
    expect(keysSent()).toEqual(['first', 'first', 'second', 'second']);
    expect(reads()).toBe(1);
  });

  it('is not replaced by a read that began before the refusal', async () => {
    const { get, ageSecret, rotate, readBy, refuseBy, keysSent, reads } = await rotating();
    const late = holding();
    const early = Promise.withResolvers<string>();
    rotate('second');
    refuseBy(late.play);
    const refused = get();
    await late.isHeld;
    ageSecret(30_000);
    const isBegun = new Promise<void>((begin) => {
      readBy(() => {
        begin();
        return early.promise;
      });
    });
    const reading = get();
    await isBegun;
    refuseBy(empty(401));
    rotate('second');
    late.release();
    await refused;
    early.resolve(secretOf('first'));
    await reading;
    await get();
    expect(keysSent()).toEqual(['first', 'second', 'first', 'second', 'second']);
    expect(reads()).toBe(2);
  });

  it('is used by the next request after a 403', async () => {
    const { get, rotate, refuseBy, keysSent } = await rotating();
    rotate('second');
    refuseBy(empty(403));
    expect((await problemOf(get())).name).toBe('upstream-unavailable');
    await get();
    expect(keysSent()).toEqual(['first', 'second']);
  });
});

describe('a rejected key ends in upstream-unavailable', () => {
  const UNAVAILABLE = { name: 'upstream-unavailable', occurrence: { retryAfterSeconds: 5 } };

  it('while the secret still holds it', async () => {
    const { get, rotate, keysSent, reads } = await rotating();
    rotate('second', secretOf('first'));
    expect(await problemOf(get())).toMatchObject(UNAVAILABLE);
    expect(keysSent()).toEqual(['first']);
    rotate('second');
    await get();
    expect(keysSent()).toEqual(['first', 'first', 'second']);
    expect(reads()).toBe(2);
  });

  it('if only another member of the secret has changed', async () => {
    const { get, rotate, keysSent } = await rotating();
    rotate('second', JSON.stringify({ note: 'rotated in May', apiKey: 'first', companyId: 'acme' }));
    expect(await problemOf(get())).toMatchObject(UNAVAILABLE);
    expect(keysSent()).toEqual(['first']);
  });

  it('if the secret cannot be read', async () => {
    const { get, rotate, readBy, keysSent } = await rotating();
    rotate('second');
    readBy(() => Promise.reject(new Error('down')));
    expect(await problemOf(get())).toMatchObject(UNAVAILABLE);
    expect(keysSent()).toEqual(['first']);
  });

  it('if the new key is rejected too', async () => {
    const { get, rotate, keysSent } = await rotating();
    rotate('third', secretOf('second'));
    expect(await problemOf(get())).toMatchObject(UNAVAILABLE);
    expect(keysSent()).toEqual(['first', 'second']);
  });

  it('if the secret is not read in time', async () => {
    const { world, get, rotate, readBy, keysSent } = await rotating();
    rotate('second');
    readBy(() => {
      // One attempt at a read has half of the time.
      world.nowMs += REQUEST_MS / 2 - 1;
      return new Promise(() => {});
    });
    expect(await problemOf(get())).toMatchObject(UNAVAILABLE);
    expect(keysSent()).toEqual(['first']);
  });

  it('if no time is left after the secret is read', async () => {
    const { world, service, rotate, readBy, keysSent } = await rotating();
    let remainingMs = 10_000;
    rotate('second');
    readBy(async () => {
      remainingMs = 0;
      return secretOf('second');
    });
    const call = world.call({ deadline: { remainingMs: () => remainingMs } });
    expect(await problemOf(service.create(checked(), call))).toMatchObject(UNAVAILABLE);
    expect(keysSent()).toEqual(['first']);
  });
});
