import { join } from 'node:path';
import * as z from 'zod/mini';
import type { ItemReader, ItemStore, Key } from '../storage/port.ts';
import { createApiKey, keyIdOf } from './api-key.ts';
import { registerCompany } from './company-record.ts';
import { openSecretFile } from './secret-files.ts';

/** The company of `npm start` unless another one is set. */
export const SANDBOX = 'sandbox';

/** The company that `npm start` last ran as on a store. */
const LastStart = z.strictObject({ companyId: z.string() });
const KEY: Key = { partition: 'store', sort: 'last-start' };

/** Registers the company that `npm start` runs as, and records it as the last one that did. */
export async function recordStart(store: ItemStore, companyId: string): Promise<void> {
  await registerCompany(store, companyId);
  const data: z.infer<typeof LastStart> = { companyId };
  await store.commit({ writes: [{ kind: 'put', key: KEY, data }] });
}

/** The company that `npm start` runs as on a store, or last ran as; `sandbox` if it never has. */
export async function lastStarted(store: ItemReader): Promise<string> {
  const item = await store.read(KEY);
  return item ? LastStart.parse(item.data).companyId : SANDBOX;
}

/**
 * Reads the API key of the sandbox company from a file in the data folder. The first start creates it.
 * @throws {SecretFileError} if the file cannot be created or read, or contains something else
 */
export function openSandboxKeyFile(dataFolder: string, companyId: string): string {
  return openSecretFile({
    path: join(dataFolder, 'sandbox-keys', companyId),
    secret: 'the sandbox key',
    format: 'an API key: delete it, and the next start makes a new key',
    create: () => `${createApiKey().apiKey}\n`,
    parse: (text) => {
      const apiKey = text.trim();
      if (keyIdOf(apiKey) === undefined) throw new RangeError('This is no API key');
      return apiKey;
    },
  });
}
