import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { readBasic } from '../../../lib/contract/credentials.ts';
import { cachedSecret } from '../../../lib/credentials/cached-secret.ts';
import { deadlineAt } from '../../../lib/service/deadline.ts';
import { httpTransport } from '../../../lib/service/http-client/transport.ts';
import type { Call, ProjectService } from '../../../lib/service/port.ts';
import { readUpstreamCredentials } from '../../../lib/upstream/authorization.ts';
import { serviceUrl } from '../../../lib/upstream/requests.ts';
import type { Plays } from './played-service.ts';
import { byKind, empty, inTurn, json, made, type Play, playService, type Received } from './server.ts';
import { answered, checked, problemOf, REQUEST_MS, START_MS, World } from './world.ts';

const project = checked({ customId: 'a' });
const found = json(200, answered(project));

/** A call while the clock stands still, which it does in all requests here. */
const call: Call = {
  companyId: 'company',
  requestId: 'request',
  requestedBy: { kind: 'workflow', id: null },
  deadline: deadlineAt(START_MS + REQUEST_MS, () => START_MS),
};
const get = (service: ProjectService) => service.get({ id: 1_000 }, undefined, call);
const secretOf = (apiKey: string) => JSON.stringify({ companyId: 'acme', apiKey });
const keyOf = ({ headers }: Received) => readBasic(headers.authorization ?? '')?.apiKey;

/**
 * A service that takes one key, and Segue in front of it with a secret that holds one, the same until they are changed,
 * and with a project.
 */
async function world(plays: Plays = {}) {
  const segue = new World();
  const play = byKind({ create: inTurn(made(), made(2_000)), read: found, ...plays });
  let taken = 'first';
  let refuse = empty(401);
  let read = async () => secretOf('first');
  let reads = 0;
  let agedMs = 0;
  const { url, received } = await playService((request, response) =>
    (keyOf(request) === taken ? play : refuse)(request, response),
  );
  const countedRead = () => {
    reads += 1;
    return read();
  };
  const credentials = cachedSecret(countedRead, readUpstreamCredentials, { now: () => segue.nowMs + agedMs });
  const transport = httpTransport(serviceUrl(url), segue.now);
  const service = segue.service({ transport, credentials }, { isOwnAccount: async () => true });
  await service.create(project, call);
  received.splice(0);
  reads = 0;
  return {
    service,
    received,
    keysSent: () => received.map(keyOf),
    reads: () => reads,
    /** Lets the secret grow older. */
    wait(ms: number) {
      agedMs += ms;
    },
    /** The service takes another key alone from now on, and the secret holds it, or something else. */
    rotate(key: string, kept = secretOf(key)) {
      taken = key;
      read = async () => kept;
    },
    readBy(another: () => Promise<string>) {
      read = another;
    },
    refuseBy(another: Play) {
      refuse = another;
    },
  };
}

describe('a key that was rotated at the service and in the secret', () => {
  it.each<[string, (service: ProjectService) => Promise<unknown>]>([
    ['create', (service) => service.create(checked(), call)],
    ['get', get],
    ['validate', (service) => service.validate(checked({ customId: 'b' }), call)],
  ])('is taken up within the request: %s', async (_, work) => {
    const { service, rotate, received, keysSent, reads } = await world();
    rotate('second');
    await work(service);
    expect(keysSent()).toEqual(['first', 'second']);
    const [first, second] = received.map(({ method, url, body }) => ({ method, url, body }));
    expect(second).toEqual(first);
    expect(reads()).toBe(1);
  });

  it('is taken up at each step of a deletion', async () => {
    const plays: Play[] = [];
    const next: Play = (...exchange) => plays.shift()?.(...exchange);
    const { service, rotate, received, keysSent } = await world({ read: next, remove: next });
    const rotating =
      (play: Play, key: string): Play =>
      (...exchange) => {
        rotate(key);
        play(...exchange);
      };
    rotate('second');
    plays.push(rotating(found, 'third'), rotating(empty(204), 'fourth'), empty(404), empty(404), empty(404));
    expect((await service.delete({ id: 1_000 }, { kind: 'project' }, call)).outcome).toBe('deleted');
    // What is new is looked for three times before its absence is believed.
    const looks = ['GET', 'GET', 'GET', 'GET'];
    expect(received.map(({ method }) => method)).toEqual(['GET', 'GET', 'DELETE', 'DELETE', ...looks]);
    expect(keysSent()).toEqual(['first', 'second', 'second', 'third', 'third', 'fourth', 'fourth', 'fourth']);
  });

  it('is read once for all who are refused at the same time', async () => {
    const { service, rotate, readBy, refuseBy, reads } = await world();
    const allAreRefused = Promise.withResolvers<void>();
    let refused = 0;
    rotate('second');
    refuseBy((...exchange) => {
      refused += 1;
      if (refused === 50) allAreRefused.resolve();
      empty(401)(...exchange);
    });
    readBy(async () => {
      await allAreRefused.promise;
      return secretOf('second');
    });
    await Promise.all(Array.from({ length: 50 }, () => get(service)));
    expect(refused).toBe(50);
    expect(reads()).toBe(1);
  });

  it('is not read again for who is refused with the one before it', async () => {
    const { service, rotate, refuseBy, keysSent, reads } = await world();
    const late = holding();
    rotate('second');
    refuseBy(late.play);
    const slow = get(service);
    await late.isHeld;
    refuseBy(empty(401));
    await get(service);
    late.release();
    await slow;
    expect(keysSent()).toEqual(['first', 'first', 'second', 'second']);
    expect(reads()).toBe(1);
  });

  it('is not what a reading gives that began before the refusal', async () => {
    const { service, rotate, readBy, refuseBy, wait, keysSent, reads } = await world();
    const late = holding();
    const early = Promise.withResolvers<string>();
    rotate('second');
    refuseBy(late.play);
    const refused = get(service);
    await late.isHeld;
    wait(30_000);
    const isBegun = new Promise<void>((begin) => {
      readBy(() => {
        begin();
        return early.promise;
      });
    });
    const reading = get(service);
    await isBegun;
    refuseBy(empty(401));
    rotate('second');
    late.release();
    await refused;
    early.resolve(secretOf('first'));
    await reading;
    await get(service);
    expect(keysSent()).toEqual(['first', 'second', 'first', 'second', 'second']);
    expect(reads()).toBe(2);
  });
});

describe('a 401 stays unavailable', () => {
  const UNAVAILABLE = { name: 'upstream-unavailable', occurrence: { retryAfterSeconds: 5 } };

  it('where the secret is still the one before, and ends with the request that reads the new one', async () => {
    const { service, rotate, keysSent, reads } = await world();
    rotate('second', secretOf('first'));
    expect(await problemOf(get(service))).toMatchObject(UNAVAILABLE);
    expect(keysSent()).toEqual(['first']);
    rotate('second');
    await get(service);
    expect(keysSent()).toEqual(['first', 'first', 'second']);
    expect(reads()).toBe(2);
  });

  it('where all that changed in the secret is not the account', async () => {
    const { service, rotate, keysSent } = await world();
    rotate('second', JSON.stringify({ note: 'rotated in May', apiKey: 'first', companyId: 'acme' }));
    expect(await problemOf(get(service))).toMatchObject(UNAVAILABLE);
    expect(keysSent()).toEqual(['first']);
  });

  it('where the secret cannot be read', async () => {
    const { service, rotate, readBy, keysSent } = await world();
    rotate('second');
    readBy(() => Promise.reject(new Error('down')));
    expect(await problemOf(get(service))).toMatchObject(UNAVAILABLE);
    expect(keysSent()).toEqual(['first']);
  });

  it('where the new key is refused too, and nothing is sent a third time', async () => {
    const { service, rotate, keysSent } = await world();
    rotate('third', secretOf('second'));
    expect(await problemOf(get(service))).toMatchObject(UNAVAILABLE);
    expect(keysSent()).toEqual(['first', 'second']);
    rotate('third');
    await get(service);
    expect(keysSent()).toEqual(['first', 'second', 'third']);
  });

  it('where the secret is not read in time', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { service, rotate, readBy, keysSent } = await world();
    rotate('second');
    readBy(() => {
      // As soon as everybody waits.
      setImmediate(() => vi.advanceTimersByTime(29_000));
      return new Promise(() => {});
    });
    expect(await problemOf(get(service))).toMatchObject(UNAVAILABLE);
    expect(keysSent()).toEqual(['first']);
  });

  it('where no time is left once the secret is read: nothing was done, and nothing is unknown', async () => {
    const { service, rotate, readBy, keysSent } = await world();
    let remainingMs = 10_000;
    const late: Call = { ...call, deadline: { remainingMs: () => remainingMs } };
    rotate('second');
    readBy(async () => {
      remainingMs = 0;
      return secretOf('second');
    });
    expect(await problemOf(service.create(checked(), late))).toMatchObject(UNAVAILABLE);
    expect(keysSent()).toEqual(['first']);
  });
});

it('a 403 is not asked again, and the next request has the new key', async () => {
  const { service, rotate, refuseBy, keysSent } = await world();
  rotate('second');
  refuseBy(empty(403));
  expect((await problemOf(get(service))).name).toBe('upstream-unavailable');
  await get(service);
  expect(keysSent()).toEqual(['first', 'second']);
});

/** Refuses a request once it is told to. */
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
