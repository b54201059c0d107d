import { join } from 'node:path';
import * as z from 'zod/mini';
import { SCOPES } from '../contract/routes.ts';
import type { ItemReader, ItemStore, Key } from '../storage/port.ts';
import { recordOf } from '../storage/record.ts';
import { createApiKey, hashApiKey, keyIdOf, matchesHash } from './api-key.ts';
import { findCompany, registerCompany } from './company-record.ts';
import { CredentialsRefused } from './credentials-refused.ts';
import { checkGuard, findGuard } from './guards.ts';
import { INACTIVE_KEY, type KeyDirectory, type Principal } from './key-directory.ts';
import { openSecretFile } from './secret-files.ts';

/** The id of the company that `npm start` runs as by default. */
export const SANDBOX = 'sandbox';

/** What the commands on a store need to know of the last `npm start`. */
const LastStart = recordOf(() => ({
  companyId: z.string(),
  /** Whether the `eventUrl` of a project may also be `http://127.0.0.1:<port>`. */
  allowsLoopbackEvents: z._default(z.boolean(), false),
}));
export type LastStart = Readonly<z.infer<typeof LastStart>>;
const LAST_START: Key = { partition: 'store', sort: 'last-start' };

/**
 * Registers the company that `npm start` runs as, and records the start for `findLastStart`. Writes nothing if the last
 * start had the same settings, so that Segue starts on a full disk too.
 */
export async function recordStart(store: ItemStore, start: LastStart): Promise<void> {
  await registerCompany(store, start.companyId);
  const { companyId, allowsLoopbackEvents } = await findLastStart(store);
  if (companyId === start.companyId && allowsLoopbackEvents === start.allowsLoopbackEvents) return;
  await store.commit({ writes: [{ kind: 'put', key: LAST_START, data: start }], usesReserve: true });
}

/** Returns the last `npm start` on this store. If there was none, the company is `sandbox`. */
export async function findLastStart(store: ItemReader): Promise<LastStart> {
  const item = await store.read(LAST_START);
  return LastStart.parse(item?.data ?? { companyId: SANDBOX });
}

/**
 * Reads the API key of the sandbox company from a file in the data folder. The first start creates the file.
 * @throws {SecretFileError} if the file cannot be created or read, or does not contain an API key
 */
export function openSandboxKeyFile(dataFolder: string, companyId: string): string {
  return openSecretFile({
    path: join(dataFolder, 'sandbox-keys', companyId),
    secret: 'the sandbox key',
    format: 'an API key: delete the file, and the next start creates a new key',
    create: () => `${createApiKey().apiKey}\n`,
    parse: (text) => {
      const apiKey = text.trim();
      if (keyIdOf(apiKey) === undefined) throw new RangeError('The text is not an API key');
      return apiKey;
    },
  });
}

/** How many characters of the API key's hash are in the id of the sandbox key. */
const KEY_ID_CHARACTERS = 12;

/**
 * Adds the sandbox key, which has every scope, to a key directory.
 * @param others the directory for all other keys
 * @param sandbox the id of the sandbox company, and its API key, which may be any text
 * @param store the store of the sandbox company's record; if the company is suspended, its key is refused
 */
export function withSandboxKey(
  { companyId, apiKey: sandboxKey }: { readonly companyId: string; readonly apiKey: string },
  others: KeyDirectory,
  store: ItemReader,
): KeyDirectory {
  const hash = hashApiKey(sandboxKey);
  // The id depends on the key: if the next start uses another key, tokens of the old key are refused.
  const keyId = `sandbox-${hash.slice(0, KEY_ID_CHARACTERS)}`;
  const isSandbox = (company: string, id: string) => company === companyId && id === keyId;

  async function principal(): Promise<Principal> {
    const found = await findCompany(store, companyId);
    if (found?.record.state === 'suspended') throw new CredentialsRefused('suspended', { companyId, keyId });
    const projectsADay = found?.record.limits?.projects;
    return { companyId, keyId, ...(projectsADay !== undefined && { projectsADay }), scopes: SCOPES };
  }

  return {
    verifyApiKey: (company, apiKey, use) =>
      company === companyId && matchesHash(apiKey, hash) ? principal() : others.verifyApiKey(company, apiKey, use),
    verifyApiKeyAlone: (apiKey, use) =>
      matchesHash(apiKey, hash) ? principal() : others.verifyApiKeyAlone(apiKey, use),
    findActiveKey: (company, id, use) =>
      isSandbox(company, id) ? principal() : others.findActiveKey(company, id, use),
    async guardKey(caller, requestId, use) {
      if (!isSandbox(caller.companyId, caller.keyId)) return others.guardKey(caller, requestId, use);
      const guarded = { kind: 'company', id: companyId } as const;
      const guard = await findGuard(store, guarded, requestId);
      if (guard && guard.state !== 'active') throw new CredentialsRefused(guard.state, caller, INACTIVE_KEY);
      return guard && checkGuard(guarded, requestId, guard.version);
    },
    guardCompany: others.guardCompany,
  };
}
