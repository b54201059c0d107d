import { LIMITS } from '../../../lib/contract/limits.ts';
import { cachedSecret } from '../../../lib/credentials/cached-secret.ts';
import { hostedService } from '../../../lib/hosted/service.ts';
import { deadlineAt } from '../../../lib/service/deadline.ts';
import type { TransportRequest, TransportResponse } from '../../../lib/service/http-client/transport.ts';
import type { Call } from '../../../lib/service/port.ts';
import type { Storage } from '../../../lib/storage/port.ts';
import { readUpstreamCredentials } from '../../../lib/upstream/authorization.ts';
import { upstreamClient } from '../../../lib/upstream/client.ts';
import { upstreamService } from '../../../lib/upstream/service.ts';
import { serviceDoor } from '../../faults/simulation/service-door.ts';
import { Truth } from '../../faults/simulation/truth.ts';
import { START_MS } from '../../faults/world.ts';
import { MemoryStorage } from '../../support/memory-storage.ts';
import { ACCOUNT } from './world.ts';

/** What happens to an exchange on its way. */
export type OnTheWay = (
  exchange: TransportRequest,
  carryOut: () => Promise<TransportResponse>,
) => Promise<TransportResponse>;

/** How long a request may take, and a service may need to show what it did. */
const REQUEST_MS = 20_000;
export const SETTLE_MS = 30_000;

/** Segue in front of the hosted service, both in memory, on a clock that only sleeping moves. */
export class LaggingUpstream {
  nowMs = START_MS;
  readonly now = (): number => this.nowMs;
  /** What the service has. */
  readonly truth = new Truth(this.now);
  readonly storage = new MemoryStorage();
  /** The way that exchanges take from now on. */
  onTheWay: OnTheWay = (_, carryOut) => carryOut();
  #ids = 0;

  /** A process of Segue, on the one store unless another way to it is given. */
  segue(storage: Storage = this.storage) {
    const { now } = this;
    const service = hostedService({ storage: this.truth, now, random: () => 0.5 });
    const door = serviceDoor({ service, now, accounts: { [ACCOUNT.companyId]: ACCOUNT.apiKey } });
    const credentials = cachedSecret(async () => JSON.stringify(ACCOUNT), readUpstreamCredentials, { now });
    const transport = (exchange: TransportRequest) => {
      const body = exchange.body === undefined ? undefined : Buffer.from(exchange.body);
      return this.onTheWay(exchange, () => door({ ...exchange, body }));
    };
    const sleep = async (ms: number) => {
      this.nowMs += ms;
    };
    return upstreamService({
      client: upstreamClient({ transport, credentials, now, sleep, random: () => 0.5 }),
      storage,
      now,
      sleep,
      newId: () => `${++this.#ids}`,
      propagationMs: SETTLE_MS,
      startDateToleranceMs: LIMITS.startDateToleranceMs,
    });
  }

  call(key?: string): Call {
    const once = key === undefined ? undefined : { key, replayed: () => {} };
    return {
      companyId: 'one',
      requestId: 'r',
      requestedBy: { kind: 'workflow', id: null },
      deadline: deadlineAt(this.nowMs + REQUEST_MS, this.now),
      idempotency: once,
    };
  }
}
