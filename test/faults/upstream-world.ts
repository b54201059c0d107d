import { Problem } from '../../lib/contract/problem.ts';
import { cachedSecret } from '../../lib/credentials/cached-secret.ts';
import { keyGuard, storedKeys } from '../../lib/credentials/key-directory.ts';
import { hostedService } from '../../lib/hosted/service.ts';
import { decodeText } from '../../lib/service/encoded-text.ts';
import { NoAnswer, type Transport } from '../../lib/service/http-client/exchange.ts';
import type { ProjectService } from '../../lib/service/port.ts';
import type { Storage } from '../../lib/storage/port.ts';
import { readUpstreamCredentials } from '../../lib/upstream/accounts.ts';
import { upstreamClient } from '../../lib/upstream/client.ts';
import { companyOfUpstreamId, DEFAULT_CUSTOM_ID_PREFIX } from '../../lib/upstream/custom-ids.ts';
import { openOperations } from '../../lib/upstream/open-operations.ts';
import { type UpstreamService, upstreamService } from '../../lib/upstream/service.ts';
import { MemoryStorage } from '../support/memory-storage.ts';
import { storeFailure, type Through, throughout } from './faulty.ts';
import { serviceDoor } from './simulation/service-door.ts';
import { type Payload, type Process, World } from './world.ts';

const ACCOUNT = { companyId: 'account', apiKey: 'key-of-the-account' };
/** The settle time in milliseconds. It is longer than a request, so that a later request settles a lost one. */
const SETTLE_MS = 10_000;

/**
 * A world whose projects are at an upstream service. All companies share one account there, and the store is the
 * ledger.
 */
export class UpstreamWorld extends World {
  readonly storage = new MemoryStorage();
  readonly failure = storeFailure;
  /** The upstream service. */
  readonly behind: ProjectService = hostedService({
    storage: new MemoryStorage(),
    now: this.now,
    random: () => 0.5,
    newEventId: () => 'ignored',
  });
  readonly #door = serviceDoor({
    service: this.behind,
    now: this.now,
    accounts: { [ACCOUNT.companyId]: ACCOUNT.apiKey },
  });

  process(through: Through): Process & { readonly service: UpstreamService } {
    const storage = throughout(this.storage, through);
    const service = this.service(storage, through);
    return { storage, service, sweep: async () => (await service.reconcile(() => true)).left };
  }

  override service(storage: Storage = this.storage, through: Through = (call) => call()): UpstreamService {
    const { now, newEventId } = this;
    const sleep = async (ms: number) => {
      this.nowMs += ms;
    };
    const transport = this.#transport(through);
    const credentials = cachedSecret(async () => JSON.stringify(ACCOUNT), readUpstreamCredentials, { now });
    let ids = 0;
    return upstreamService({
      client: upstreamClient({ transport, credentials, now, sleep, random: () => 0.5 }),
      storage,
      now,
      sleep,
      newId: () => `${++ids}`,
      newEventId,
      propagationMs: SETTLE_MS,
      guard: keyGuard(() => storedKeys(storage), this.now),
    });
  }

  /** Does nothing: clients and the reconciler settle open operations. */
  async sweep(): Promise<void> {}

  /** Returns the projects that the upstream service has of a company. */
  async payloads(companyId: string): Promise<Payload[]> {
    const call = this.call(ACCOUNT.companyId);
    const { projects } = await this.behind.list({ limit: 100 }, call);
    const own = projects.filter(
      ({ customId = '' }) => companyOfUpstreamId(DEFAULT_CUSTOM_ID_PREFIX, customId) === companyId,
    );
    return Promise.all(
      own.map(async ({ id, customId = '' }) => ({
        id: customId,
        bytes: decodeText((await this.behind.get({ id }, undefined, call)).json),
      })),
    );
  }

  /** Returns the company's open operations. */
  async pending(companyId: string): Promise<string[]> {
    const open = await Array.fromAsync(openOperations(this.storage));
    return open.filter((operation) => operation.companyId === companyId).map(({ operationId }) => operationId);
  }

  close(): void {}

  #transport(through: Through): Transport {
    return async ({ method, path, headers, body }) => {
      try {
        const bytes = body === undefined ? undefined : Buffer.from(body);
        return await through(() => this.#door({ method, path, headers, body: bytes }));
      } catch (error) {
        if (error instanceof Problem) throw new NoAnswer(error.name === 'outcome-unknown', 'ECONNRESET');
        throw error;
      }
    };
  }
}
