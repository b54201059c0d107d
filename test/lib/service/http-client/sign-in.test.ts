import { inspect } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  NoAnswer,
  type TransportRequest,
  type TransportResponse,
} from '../../../../lib/service/http-client/exchange.ts';
import { CREATE, READ } from '../../../../lib/upstream/requests.ts';
import { problemOf } from '../../support.ts';
import { type Act, answer, virtualClient } from '../../upstream/virtual-client.ts';
import { ACCOUNT } from '../../upstream/world.ts';

const read = { operation: READ, path: '/segments/projects/1' };
const create = { operation: CREATE, path: '/segments/projects', sent: { name: 'A' } };
const TOKEN_PATH = '/authentication/token';
const MINUTE_MS = 60_000;

const isForToken = ({ path }: TransportRequest) => path === TOKEN_PATH;
const tokenOf = ({ headers }: TransportRequest) => headers['authorization'];
const bodyOf = ({ body = '' }: TransportRequest) => Buffer.from(body).toString();

/** Returns a service that issues numbered tokens and accepts only the newest, unless the test changes that. */
function world({
  life = { expiresIn: 1_800 },
  secret = {},
}: {
  readonly life?: object;
  readonly secret?: object;
} = {}) {
  let given = 0;
  let taken = 0;
  const give: Act = () => {
    given += 1;
    taken = given;
    return answer(200, { AccessToken: `token.${given}`, RefreshToken: 'refresh', ...life });
  };
  const work: Act = (exchange) => answer(tokenOf(exchange) === `Bearer token.${taken}` ? 200 : 401);
  const service = { give, work };
  let kept: object = { ...ACCOUNT, scheme: 'bearer', ...secret };
  const virtual = virtualClient({
    act: (exchange) => (isForToken(exchange) ? service.give : service.work)(exchange),
    secret: () => kept,
  });
  return {
    ...virtual,
    ask: () => virtual.client(read, virtual.call()),
    given: () => given,
    /** Makes the service refuse every token until it issues another one. */
    expire() {
      taken = -1;
    },
    /** Changes the service's behaviour from now on. */
    change(changed: Partial<typeof service>) {
      Object.assign(service, changed);
    },
    give,
    rotate(apiKey: string) {
      kept = { ...kept, apiKey };
    },
    sent: () => virtual.exchanges.map((exchange) => (isForToken(exchange) ? 'token' : tokenOf(exchange))),
  };
}

it('signs in once, and sends the token from then on', async () => {
  const { ask, sent, exchanges } = world();
  await ask();
  await ask();
  expect(sent()).toEqual(['token', 'Bearer token.1', 'Bearer token.1']);
  expect(exchanges[0]).toMatchObject({ method: 'POST', headers: { 'content-type': 'application/json' } });
  expect(JSON.parse(exchanges.map(bodyOf)[0] ?? '')).toEqual({ username: ACCOUNT.companyId, password: ACCOUNT.apiKey });
});

it('renews a token after the clock was set back', async () => {
  const { ask, sent, wait } = world();
  await ask();
  wait(-60 * MINUTE_MS);
  await ask();
  wait(28 * MINUTE_MS);
  await ask();
  expect(sent()).toEqual(['token', 'Bearer token.1', 'token', 'Bearer token.2', 'Bearer token.2']);
});

it('shares one sign-in between concurrent requests', async () => {
  const { ask, sent } = world();
  await Promise.all(Array.from({ length: 50 }, ask));
  expect(sent().filter((entry) => entry === 'token')).toHaveLength(1);
});

describe('a token is renewed', () => {
  it.each([
    ['a minute before its end', 1_800, 29 * MINUTE_MS],
    ['with a tenth of a short life left', 100, 90_000],
  ])('%s', async (_, lifeSeconds, ageMs) => {
    const { ask, wait, given } = world({ life: { expiresIn: lifeSeconds } });
    await ask();
    wait(ageMs - 1);
    await ask();
    expect(given()).toBe(1);
    wait(1);
    await ask();
    expect(given()).toBe(2);
  });

  it.each([{}, { expiresIn: null }, { expiresIn: 'soon' }, { expiresIn: -1 }, { expiresIn: '1800' }])(
    'when it is rejected, if its life is unknown: %j',
    async (life) => {
      const { ask, wait, expire, given } = world({ life });
      await ask();
      wait(24 * 60 * MINUTE_MS);
      await ask();
      expect(given()).toBe(1);
      expire();
      await ask();
      expect(given()).toBe(2);
    },
  );

  it('later if a renewal fails: the old token serves to its end', async () => {
    const { ask, wait, change, sent } = world();
    await ask();
    change({ give: () => new NoAnswer(true, 'ECONNRESET') });
    wait(29 * MINUTE_MS);
    await ask();
    expect(sent().slice(2)).toEqual(['token', 'Bearer token.1']);
    wait(MINUTE_MS);
    expect((await problemOf(ask())).name).toBe('upstream-unavailable');
    expect(sent().filter((entry) => entry === 'Bearer token.1')).toHaveLength(2);
  });
});

describe('a rejected token', () => {
  it.each([
    ['read', read],
    ['create', create],
  ])('is replaced within the request: %s', async (_, request) => {
    const { client, call, ask, expire, sent, change } = world();
    await ask();
    expire();
    change({
      work: (exchange) => answer(tokenOf(exchange) === 'Bearer token.2' ? (request.operation.success[0] ?? 200) : 401),
    });
    await client(request, call());
    expect(sent()).toEqual(['token', 'Bearer token.1', 'Bearer token.1', 'token', 'Bearer token.2']);
  });

  it('is replaced once for all rejected requests', async () => {
    const { ask, expire, given } = world();
    await ask();
    expire();
    await Promise.all(Array.from({ length: 50 }, ask));
    expect(given()).toBe(2);
  });

  it('is not replaced again by a request that is rejected late', async () => {
    const { ask, change, given, sent } = world();
    const held = Promise.withResolvers<void>();
    const isHeld = Promise.withResolvers<void>();
    change({
      async work() {
        isHeld.resolve();
        await held.promise;
        return answer(401);
      },
    });
    const late = ask();
    await isHeld.promise;
    change({ work: (exchange) => answer(tokenOf(exchange) === 'Bearer token.2' ? 200 : 401) });
    await ask();
    held.resolve();
    await late;
    expect(given()).toBe(2);
    expect(sent().at(-1)).toBe('Bearer token.2');
  });

  it('is replaced once in a request', async () => {
    const { ask, change, sent } = world();
    change({ work: () => answer(401) });
    expect((await problemOf(ask())).name).toBe('upstream-unavailable');
    expect(sent()).toEqual(['token', 'Bearer token.1', 'token', 'Bearer token.2']);
  });

  it('makes Segue read the secret again', async () => {
    const { ask, expire, change, give, rotate, exchanges, sent } = world();
    await ask();
    expire();
    rotate('next');
    change({ give: (exchange) => (bodyOf(exchange).includes('"next"') ? give(exchange) : answer(401)) });
    await ask();
    expect(sent()).toEqual(['token', 'Bearer token.1', 'Bearer token.1', 'token', 'token', 'Bearer token.2']);
    expect(exchanges.filter(isForToken).map((exchange) => JSON.parse(bodyOf(exchange)).password)).toEqual([
      ACCOUNT.apiKey,
      ACCOUNT.apiKey,
      'next',
    ]);
  });
});

/** Ways in which a sign-in returns no token. */
const TOKENLESS: readonly (readonly [what: string, end: TransportResponse | NoAnswer, attempts: number])[] = [
  ['no connection', new NoAnswer(false, 'ECONNREFUSED'), 3],
  ['a reset', new NoAnswer(true, 'ECONNRESET'), 3],
  ['401', answer(401), 1],
  ['403', answer(403), 1],
  ['404', answer(404), 3],
  ['429', answer(429), 3],
  ['500', answer(500), 3],
  ['another shape', answer(200, { access_token: 'a' }), 3],
  ['a token with a line break', answer(200, { AccessToken: 'a\r\nx: y', expiresIn: 1 }), 3],
  ['an endless token', answer(200, { AccessToken: 'a'.repeat(8_193), expiresIn: 1 }), 3],
  ['nothing', answer(204), 3],
];

it.each(TOKENLESS)(
  'sends nothing if the sign-in ends with %s, and reports that nothing was done',
  async (_, end, attempts) => {
    const { client, call, change, sent } = world();
    change({ give: () => end });
    expect((await problemOf(client(create, call()))).name).toBe('upstream-unavailable');
    expect(sent()).toEqual(Array(attempts).fill('token'));
  },
);

it('leaves a sign-in running for others when a request reaches its deadline', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const late = Promise.withResolvers<void>();
  const { client, call, ask, change, give, sent } = world();
  change({
    async give(exchange) {
      await late.promise;
      return give(exchange);
    },
  });
  const hurried = problemOf(client(create, call({ deadline: { remainingMs: () => 100 } })));
  const others = ask();
  await vi.advanceTimersByTimeAsync(1_000);
  expect((await hurried).name).toBe('upstream-unavailable');
  late.resolve();
  expect((await others).status).toBe(200);
  expect(sent()).toEqual(['token', 'Bearer token.1']);
});

it('keeps account and token out of problems', async () => {
  for (const status of [400, 401, 404, 500]) {
    const { ask, change } = world();
    const told: Act = ({ body, headers }) => answer(status, { detail: `${body} ${headers['authorization']}` });
    change({ work: told });
    const failures = [await problemOf(ask())];
    change({ give: told });
    failures.push(await problemOf(ask()));
    const seen = inspect(failures, { depth: 20, showHidden: true });
    for (const secret of [ACCOUNT.apiKey, 'token.1', 'refresh']) expect(seen).not.toContain(secret);
  }
});
