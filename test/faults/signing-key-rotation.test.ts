import { afterAll, describe, expect, it } from 'vitest';
import { secretsManagerStore } from '../../lib/aws/secrets-manager-store.ts';
import { signingKeyRotation } from '../../lib/background/signing-key-rotation.ts';
import { cachedSecret } from '../../lib/credentials/cached-secret.ts';
import { cachedSigningKeys, parseSigningKeys, signingKeyAt } from '../../lib/credentials/signing-keys.ts';
import { signingKeyIdOf, signToken, verifyToken } from '../../lib/credentials/tokens.ts';
import { SecretsManagerStandIn } from '../support/aws/secrets-manager.ts';
import { faulty, type Through, type Way } from './faulty.ts';
import { START_MS } from './world.ts';

const STEPS = ['createSecret', 'setSecret', 'testSecret', 'finishSecret'] as const;
/** To stop before a call is to stop after the one before it. */
const WAYS = ['fails before', 'fails after', 'stops after'] as const satisfies readonly Way[];
const HOUR_MS = 3_600_000;
/** How long after one that failed the rotation is run again: before the new key would sign, as it would, long after that. */
const DELAYS_MS = [0, HOUR_MS, 10 * HOUR_MS];
const MAX_PROCESSES = 2;
const SUBJECT = { companyId: 'acme', keyId: 'key', familyId: 'family', generation: 1 };
const straight: Through = (call) => call();

/** Processes that sign and verify tokens by a secret in Secrets Manager, what rotates that, and a clock moved by hand. */
class Rotating {
  nowMs = START_MS;
  readonly secrets: SecretsManagerStandIn;
  #processes: readonly ReturnType<Rotating['process']>[] = [];
  /** The last token of each key: the others stand and fall with it. */
  readonly #tokens = new Map<string | undefined, { readonly token: string; readonly expiresAtMs: number }>();
  #keys = 0;

  constructor(clearsPending: boolean) {
    this.secrets = new SecretsManagerStandIn(JSON.stringify({ id: 'first', secret: 'x'.repeat(64) }), clearsPending);
  }

  /** A process as it starts now: it has read nothing yet, and keeps for a while what it reads. */
  process() {
    const read = this.secrets.newReader();
    const signingKeys = cachedSigningKeys(
      cachedSecret(() => read(this.secrets.secretId), parseSigningKeys, { now: () => this.nowMs }),
    );
    return {
      issue: async () => signToken('refresh', SUBJECT, signingKeyAt(await signingKeys(), this.nowMs), this.nowMs),
      takes: async (token: string) => {
        const keys = await signingKeys(signingKeyIdOf('refresh', token));
        return verifyToken('refresh', token, keys, this.nowMs).then(
          () => true,
          () => false,
        );
      },
    };
  }

  /** Requires that every process takes every live token: those that have run for a while, and one that starts now. */
  async refusesNone(at: unknown): Promise<void> {
    this.#processes = [...this.#processes.slice(-MAX_PROCESSES), this.process()];
    for (const { issue } of this.#processes) {
      const token = await issue();
      this.#tokens.set(signingKeyIdOf('refresh', token), { token, expiresAtMs: this.nowMs + 24 * HOUR_MS });
    }
    const live = [...this.#tokens.values()].filter(({ expiresAtMs }) => expiresAtMs > this.nowMs);
    for (const { takes } of this.#processes) {
      for (const { token } of live) expect({ at, isTaken: await takes(token) }).toEqual({ at, isTaken: true });
    }
  }

  /** Runs the steps of a rotation as far as they go. @returns whether all were done */
  async rotate(version: string, { through, stopped }: Pick<ReturnType<typeof faulty>, 'through' | 'stopped'>) {
    const client = this.secrets.newClient();
    client.middlewareStack.add((next) => (args) => through(() => next(args)), { step: 'initialize' });
    const newKey = () => ({ id: `key-${++this.#keys}`, secret: 'y'.repeat(64) });
    const step = signingKeyRotation({
      store: secretsManagerStore({ client }),
      newKey,
      now: () => this.nowMs,
      log: () => {},
    });
    for (const Step of STEPS) {
      const event = { Step, SecretId: this.secrets.secretId, ClientRequestToken: version };
      const run = step(event, { awsRequestId: version }).then(
        () => 'done' as const,
        () => 'failed' as const,
      );
      if ((await Promise.race([run, stopped])) !== 'done') return false;
      await this.refusesNone({ version, Step });
    }
    return true;
  }

  keys() {
    return parseSigningKeys(JSON.parse(this.secrets.current().text ?? 'null'));
  }
}

const failure = () => Object.assign(new Error('A planted fault'), { code: 'ECONNRESET' });
const sound = () => ({ through: straight, stopped: new Promise<'stopped'>(() => {}) });

/** Runs a rotation one call of which fails, and then again. @returns how many calls the first run made */
async function run(clearsPending: boolean, delayMs: number, wayOf: (call: number) => Way | undefined, at: unknown) {
  const world = new Rotating(clearsPending);
  await world.refusesNone(at);
  world.secrets.begin('version');
  const broken = faulty(wayOf, failure);
  await world.rotate('version', broken);
  await world.refusesNone(at);
  world.nowMs += delayMs;
  await world.refusesNone(at);
  // What was done is done again too: nobody says that Secrets Manager does not ask for it.
  expect({ at, isDone: await world.rotate('version', sound()) }).toEqual({ at, isDone: true });
  expect({ at, ...world.secrets.current() }).toMatchObject({ at, version: 'version' });
  expect({ at, keys: world.keys().length }).toEqual({ at, keys: 2 });
  // By then everybody signs with the key that was added.
  world.nowMs += HOUR_MS;
  await world.refusesNone(at);
  expect(signingKeyAt(world.keys(), world.nowMs).id).toBe(world.keys()[0]?.id);
  world.secrets.begin('next version');
  expect({ at, isDone: await world.rotate('next version', sound()) }).toEqual({ at, isDone: true });
  return broken.calls();
}

let points = 0;
afterAll(() => expect(points).toBe(7 * WAYS.length * DELAYS_MS.length * 2));

describe.each([
  ['is pending no more', true],
  ['stays pending too', false],
])('a rotation of the signing keys whose version, once it is the current one, %s', (_, clearsPending) => {
  it.each(DELAYS_MS)(
    'completes when it is run again %i ms later, whichever call failed, and refuses no live token',
    async (delayMs) => {
      const calls = await run(clearsPending, delayMs, () => undefined, 'no failure');
      for (let failing = 1; failing <= calls; failing++) {
        for (const way of WAYS) {
          await run(clearsPending, delayMs, (call) => (call === failing ? way : undefined), { failing, way });
          points++;
        }
      }
    },
  );
});
