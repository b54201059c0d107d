import { afterAll, describe, expect, it } from 'vitest';
import { secretsManagerStore } from '../../lib/aws/secrets-manager-store.ts';
import { signingKeyRotator } from '../../lib/background/signing-key-rotator.ts';
import { cachedSecret } from '../../lib/credentials/cached-secret.ts';
import { cachedSigningKeys, parseSigningKeys, signingKeyAt } from '../../lib/credentials/signing-keys.ts';
import { signingKeyIdOf, signToken, verifyToken } from '../../lib/credentials/tokens.ts';
import { SecretsManagerStandIn } from '../support/aws/secrets-manager.ts';
import { TestClock } from '../support/world.ts';
import { faulty, type Through, type Way } from './faulty.ts';

const STEPS = ['createSecret', 'setSecret', 'testSecret', 'finishSecret'] as const;
/** The ways to fail. Stopping before a call is left out, because it is stopping after the previous one. */
const WAYS = ['fails before', 'fails after', 'stops after'] as const satisfies readonly Way[];
const HOUR_MS = 3_600_000;
/** The delays until a failed rotation runs again. Some end before the new key signs, some long after. */
const DELAYS_MS = [0, HOUR_MS, 10 * HOUR_MS];
const MAX_PROCESSES = 2;
const SUBJECT = { companyId: 'acme', keyId: 'key', familyId: 'family', generation: 1 };
const straight: Through = (call) => call();

/** Processes that sign and verify tokens with a secret in Secrets Manager, its rotation, and a clock. */
class Rotating extends TestClock {
  readonly secrets: SecretsManagerStandIn;
  #processes: readonly ReturnType<Rotating['process']>[] = [];
  /** The last token of each key. Earlier tokens of the key are valid as long as this one. */
  readonly #tokens = new Map<string | undefined, { readonly token: string; readonly expiresAtMs: number }>();
  #keys = 0;

  constructor(clearsPending: boolean) {
    super();
    this.secrets = new SecretsManagerStandIn(JSON.stringify({ id: 'first', secret: 'x'.repeat(64) }), clearsPending);
  }

  /** Starts a process. It has read nothing yet, and caches the secret once it is read. */
  process() {
    const read = this.secrets.newReader();
    const signingKeys = cachedSigningKeys(
      cachedSecret(() => read(this.secrets.secretId), parseSigningKeys, { now: this.now }),
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

  /** Requires that every process accepts every live token, in running processes and in a new one. */
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

  /**
   * Runs the steps of a rotation until one fails.
   * @returns whether all steps succeeded
   */
  async rotate(version: string, { through, stopped }: Pick<ReturnType<typeof faulty>, 'through' | 'stopped'>) {
    const client = this.secrets.newClient();
    client.middlewareStack.add((next) => (args) => through(() => next(args)), { step: 'initialize' });
    const newKey = () => ({ id: `key-${++this.#keys}`, secret: 'y'.repeat(64) });
    const step = signingKeyRotator({
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

/**
 * Runs a rotation with one failing call, and runs it again.
 * @returns the number of calls in the first run
 */
async function run(clearsPending: boolean, delayMs: number, wayOf: (call: number) => Way | undefined, at: unknown) {
  const world = new Rotating(clearsPending);
  await world.refusesNone(at);
  world.secrets.begin('version');
  const broken = faulty(wayOf, failure);
  await world.rotate('version', broken);
  await world.refusesNone(at);
  world.nowMs += delayMs;
  await world.refusesNone(at);
  // A completed rotation runs again too, because Secrets Manager may call it again.
  expect({ at, isDone: await world.rotate('version', sound()) }).toEqual({ at, isDone: true });
  expect({ at, ...world.secrets.current() }).toMatchObject({ at, version: 'version' });
  expect({ at, keys: world.keys().length }).toEqual({ at, keys: 2 });
  // An hour later, every process signs with the new key.
  world.nowMs += HOUR_MS;
  await world.refusesNone(at);
  expect(signingKeyAt(world.keys(), world.nowMs).id).toBe(world.keys()[0]?.id);
  world.secrets.begin('next version');
  expect({ at, isDone: await world.rotate('next version', sound()) }).toEqual({ at, isDone: true });
  return broken.calls();
}

let points = 0;
afterAll(() => expect(points).toBe(8 * WAYS.length * DELAYS_MS.length * 2));

describe.each([
  ['is pending no more', true],
  ['stays pending too', false],
])('a rotation of the signing keys whose version, once it is the current one, %s', (_, clearsPending) => {
  it.each(DELAYS_MS)(
    'completes when it is run again %i ms later, whichever call failed, and refuses no live token',
    async (delayMs) => {
      const calls = await run(clearsPending, delayMs, () => undefined, 'no failure');
      for (let failing = 1; failing <= calls; failing++) {
        const runs = WAYS.map((way) =>
          run(clearsPending, delayMs, (call) => (call === failing ? way : undefined), { failing, way }),
        );
        points += (await Promise.all(runs)).length;
      }
    },
  );
});
