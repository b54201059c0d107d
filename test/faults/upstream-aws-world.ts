import { keyGuard, storedKeys } from '../../lib/credentials/key-directory.ts';
import type { Storage } from '../../lib/storage/port.ts';
import { openOperations } from '../../lib/upstream/open-operations.ts';
import { type UpstreamService, upstreamService } from '../../lib/upstream/service.ts';
import { type PlayedAccount, playAccount } from '../lib/upstream/played-account.ts';
import { AwsWorld } from './aws-world.ts';
import type { Payload } from './world.ts';

/** Ids with as many digits as Segue's own have. */
const FIRST_ID = 228_000_000_000_000;

/** A world whose store on AWS is the ledger of a service that is played, where every call of AWS may fail by itself. */
export class UpstreamAwsWorld extends AwsWorld {
  #account: PlayedAccount | undefined;
  #ids = 0;

  /** Made when it is asked for: the first process is there before it. */
  get account(): PlayedAccount {
    this.#account ??= playAccount({ now: this.now, firstId: FIRST_ID });
    return this.#account;
  }

  /** Every company's operations have the same names. */
  override newCompany(): string {
    this.#ids = 0;
    return super.newCompany();
  }

  override service(storage: Storage = this.storage): UpstreamService {
    return upstreamService({
      client: (request, call) => this.account.client(request, call),
      storage,
      now: this.now,
      sleep: async (ms) => {
        this.nowMs += ms;
      },
      newId: () => String(++this.#ids),
      // As many repetitions as a test has are over before a minute is.
      propagationMs: 2_000,
      guard: keyGuard(storedKeys(storage)),
    });
  }

  /** What the service has of a company. */
  override async payloads(companyId: string): Promise<Payload[]> {
    const made = [...this.account.projects.values()].filter(({ customId }) => customId?.includes(`.${companyId}.`));
    return made.map((project) => ({ id: String(project.customId), bytes: Buffer.from(JSON.stringify(project)) }));
  }

  /** The operations that are still open. */
  override async pending(companyId: string): Promise<string[]> {
    const open = await Array.fromAsync(openOperations(this.storage));
    return open.filter((operation) => operation.companyId === companyId).map(({ operationId }) => operationId);
  }
}
