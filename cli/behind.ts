import { endpointOf } from '../lib/aws/sdk-endpoint.ts';
import { secretsManagerReader } from '../lib/aws/secrets-manager.ts';
import { BASE_URL_RULE, readBaseUrl } from '../lib/contract/base-url.ts';
import { cachedSecret, type ReadSecret } from '../lib/credentials/cached-secret.ts';
import type { Companies } from '../lib/credentials/companies.ts';
import { httpTransport } from '../lib/service/http-client/transport.ts';
import type { ListedStore } from '../lib/storage/port.ts';
import { type Audited, audit } from '../lib/upstream/audit.ts';
import { accountOf, readUpstreamCredentials } from '../lib/upstream/authorization.ts';
import { upstreamClient } from '../lib/upstream/client.ts';
import { CUSTOM_ID_PREFIX, DEFAULT_CUSTOM_ID_PREFIX } from '../lib/upstream/custom-ids.ts';
import type { Surroundings } from './program.ts';

/** The service behind cannot be asked. The message is for the person who asked, and holds no secret. */
export class BehindUnusable extends Error {
  override readonly name = 'BehindUnusable';
}

/** A service behind a Segue, and the ledger of who owns what there. */
export interface Behind {
  readonly url: string;
  readonly secret: ReadSecret;
  /** How custom ids there begin; as Segue by itself has it unless given. */
  readonly mark?: string | undefined;
  readonly storage: ListedStore;
  readonly companies: Companies;
  /** Companies that are not among those. */
  readonly others?: readonly string[];
}

/** Nobody waits for a command that somebody watches. */
const NO_DEADLINE = { remainingMs: () => Number.POSITIVE_INFINITY };

/**
 * Compares what a service has with what companies own.
 * @throws {BehindUnusable}
 */
export async function auditBehind({ storage, companies, others = [], ...behind }: Behind): Promise<Audited> {
  const asked = openBehind(behind);
  const listed = await Array.fromAsync(companies.list(), ({ companyId }) => companyId);
  const companyIds = [...new Set([...listed, ...others])];
  return audit({ ...asked, storage, now: Date.now }, companyIds, NO_DEADLINE);
}

/**
 * What is asked behind a Segue.
 * @throws {BehindUnusable}
 */
export function openBehind({ url, secret, mark }: Pick<Behind, 'url' | 'secret' | 'mark'>) {
  const base = readBaseUrl(url, { protocols: ['http', 'https'] });
  if (!base) throw new BehindUnusable(`the base URL of the upstream service must be ${BASE_URL_RULE}`);
  const now = Date.now;
  const credentials = cachedSecret(secret, readUpstreamCredentials, { now });
  return {
    client: upstreamClient({ transport: httpTransport(base, now), credentials, now }),
    isOwnAccount: async (companyId: string) => accountOf(await credentials.read(), companyId).isOwn,
    customIdPrefix: mark || DEFAULT_CUSTOM_ID_PREFIX,
  };
}

/**
 * How the service behind this machine's Segue is used: as `npm start` with the same environment has it.
 * @throws {BehindUnusable}
 */
export function behindThisMachine({ env }: Surroundings): Pick<Behind, 'secret' | 'mark'> {
  const { SEGUE_UPSTREAM_SECRET: name, SEGUE_UPSTREAM_MARK: mark } = env;
  const { SEGUE_UPSTREAM_COMPANY_ID: companyId, SEGUE_UPSTREAM_API_KEY: apiKey } = env;
  if (mark && !CUSTOM_ID_PREFIX.test(mark))
    throw new BehindUnusable('SEGUE_UPSTREAM_MARK is none that npm start takes');
  if (name) {
    const read = secretsManagerReader({ endpointOf, now: Date.now });
    return { secret: () => read(name), mark };
  }
  if (companyId && apiKey) return { secret: async () => JSON.stringify({ companyId, apiKey }), mark };
  throw new BehindUnusable(
    'set SEGUE_UPSTREAM_COMPANY_ID and SEGUE_UPSTREAM_API_KEY, or SEGUE_UPSTREAM_SECRET, as for npm start',
  );
}
