import { Problem } from '../../lib/contract/problem.ts';
import { cachedSecret } from '../../lib/credentials/cached-secret.ts';
import { keyGuard, storedKeys } from '../../lib/credentials/key-directory.ts';
import { decodeText } from '../../lib/service/encoded-text.ts';
import { NoAnswer, type Transport } from '../../lib/service/http-client/exchange.ts';
import type { Storage } from '../../lib/storage/port.ts';
import { readUpstreamCredentials } from '../../lib/upstream/accounts.ts';
import { upstreamClient } from '../../lib/upstream/client.ts';
import { companyOfUpstreamId, DEFAULT_CUSTOM_ID_PREFIX } from '../../lib/upstream/custom-ids.ts';
import { openOperations } from '../../lib/upstream/open-operations.ts';
import { ACCOUNT, UpstreamAccount } from '../lib/upstream/world.ts';
import { MemoryStorage } from '../support/memory-storage.ts';
import type { UpstreamService } from '../support/world.ts';
import { storeFailure, type Through, throughout } from './faulty.ts';
import { type Payload, type Process, World } from './world.ts';

/** The settle time in milliseconds. It is longer than a request, so that a later request settles a lost one. */
const SETTLE_MS = 10_000;

/**
 * A world whose projects are at an upstream service. All companies share one account there, and the store is the
 * ledger.
 */
export class UpstreamWorld extends World {
  readonly storage = new MemoryStorage();
  readonly failure = storeFailure;
  /** The account of all companies at the upstream service. */
  readonly #account = new UpstreamAccount(this.now);

  process(through: Through): Process & { readonly service: UpstreamService } {
    const storage = throughout(this.storage, through);
    const service = this.service(storage, through);
    return { storage, service, sweep: async () => (await service.reconcile(() => true)).left };
  }

  override service(storage: Storage = this.storage, through: Through = (call) => call()): UpstreamService {
    const { now, sleep } = this;
    const credentials = cachedSecret(async () => JSON.stringify(ACCOUNT), readUpstreamCredentials, { now });
    // Each process has the same ids, so that what the ledger has of two runs can be compared.
    let ids = 0;
    return this.upstream({
      newId: () => `${++ids}`,
      client: upstreamClient({ transport: this.#transport(through), credentials, now, sleep, random: () => 0.5 }),
      storage,
      propagationMs: SETTLE_MS,
      guard: keyGuard(() => storedKeys(storage), now),
    });
  }

  /** Does nothing: clients and the reconciler settle open operations. */
  async sweep(): Promise<void> {}

  /** Returns the projects that the upstream service has of a company. */
  async payloads(companyId: string): Promise<Payload[]> {
    const { service } = this.#account;
    const own = (await this.#account.heads()).filter(
      ({ customId = '' }) => companyOfUpstreamId(DEFAULT_CUSTOM_ID_PREFIX, customId) === companyId,
    );
    return Promise.all(
      own.map(async ({ id, customId = '' }) => ({
        id: customId,
        bytes: decodeText((await service.get({ id }, undefined, this.#account.account())).json),
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
    return async (request) => {
      try {
        return await through(() => this.#account.transport(request));
      } catch (error) {
        if (error instanceof Problem) throw new NoAnswer(error.name === 'outcome-unknown', 'ECONNRESET');
        throw error;
      }
    };
  }
}
