import { cachedSecret } from '../../../lib/credentials/cached-secret.ts';
import { hostedService } from '../../../lib/hosted/service.ts';
import {
  NoAnswer,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from '../../../lib/service/http-client/transport.ts';
import type { Call, ProjectService } from '../../../lib/service/port.ts';
import { readUpstreamCredentials } from '../../../lib/upstream/authorization.ts';
import type { UpstreamOptions, UpstreamService } from '../../../lib/upstream/service.ts';
import { randomFrom } from '../../../local/simulator/random.ts';
import { serviceDoor } from '../../faults/simulation/service-door.ts';
import { MemoryStorage } from '../../support/memory-storage.ts';
import { asObject, type JsonObject } from '../../support/projects.ts';
import { type Kind, kindOf } from './server.ts';
import { ACCOUNT, World } from './world.ts';

/** What becomes of an exchange: it may let it reach the service, and it may give another answer. */
export type Fate = (reach: () => Promise<TransportResponse>) => Promise<TransportResponse>;

/** The service does what it is asked, and nobody hears of it. */
export const lost: Fate = async (reach) => {
  await reach();
  throw new NoAnswer(true, 'ECONNRESET');
};
/** The request never arrives, and nobody can tell. */
export const swallowed: Fate = async () => {
  throw new NoAnswer(true, 'ECONNRESET');
};
/** The service does not know yet what it has. */
export const absent: Fate = async () => ({ status: 404, headers: {}, body: new Uint8Array() });
/** The service fails, and says so. */
export const failing: Fate = async () => ({ status: 500, headers: {}, body: new Uint8Array() });
/** Somebody on the way sends the request twice, and gives the second answer. */
export const twice: Fate = async (reach) => {
  await reach();
  return reach();
};
/** The service's project as somebody on the way changes it. */
export const changed =
  (change: (project: JsonObject) => JsonObject): Fate =>
  async (reach) => {
    const answer = await reach();
    const project = asObject(JSON.parse(Buffer.from(answer.body).toString()));
    return { ...answer, body: Buffer.from(JSON.stringify(change(project))) };
  };
const well: Fate = (reach) => reach();

/** Segue in front of the service itself, whose account other companies and people may have too, all in this process. */
export class HostedUpstream {
  readonly world = new World();
  /** What the service has. */
  readonly storage = new MemoryStorage();
  /** The service, for those who go past Segue. */
  readonly service: ProjectService;
  readonly asked: Kind[] = [];
  readonly transport: Transport;
  readonly #fates = new Map<Kind, Fate[]>();

  constructor() {
    const { now } = this.world;
    this.service = hostedService({ storage: this.storage, now, random: randomFrom(1).next });
    const accounts = { [ACCOUNT.companyId]: ACCOUNT.apiKey };
    const door = serviceDoor({ service: this.service, now, accounts });
    this.transport = ({ method, path, headers, body }: TransportRequest) => {
      const kind = kindOf(method, path);
      this.asked.push(kind);
      const fate = this.#fates.get(kind)?.shift() ?? well;
      return fate(() => door({ method, path, headers, body: body === undefined ? undefined : Buffer.from(body) }));
    };
  }

  /** What becomes of the next exchanges of a kind, one after the other. */
  next(kind: Kind, ...fates: readonly Fate[]): void {
    this.#fates.set(kind, [...fates]);
  }

  /** A process of Segue. */
  segue(options: Partial<UpstreamOptions> = {}): UpstreamService {
    const { now } = this.world;
    const secret = async () => JSON.stringify(ACCOUNT);
    const credentials = cachedSecret(secret, readUpstreamCredentials, { now });
    return this.world.service({ transport: this.transport, credentials }, options);
  }

  /** A call of the account at the service itself. */
  account(): Call {
    return this.world.call({ companyId: ACCOUNT.companyId });
  }

  /** The custom ids of the projects that the service has, the newest first. */
  async names(): Promise<(string | undefined)[]> {
    const { projects } = await this.service.list({ limit: 100 }, this.account());
    return projects.map(({ customId }) => customId);
  }
}
