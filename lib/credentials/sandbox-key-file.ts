import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApiKey, keyIdOf } from './api-key.ts';
import { codeOf, makePrivateFile } from './private-file.ts';

/** The file of a sandbox key cannot be used. The message is for the person who starts Segue and holds no part of the key. */
export class SandboxKeyUnusable extends Error {
  override readonly name = 'SandboxKeyUnusable';
}

/**
 * The API key of a sandbox company: the text of a file in the data folder, made at the first start.
 * @throws {SandboxKeyUnusable} if the file cannot be made or read, or holds something else
 */
export function sandboxKeyInFolder(folder: string, companyId: string): string {
  const path = join(folder, 'sandbox-keys', companyId);
  const apiKey = attempt(path, () => {
    makePrivateFile(path, `${createApiKey().apiKey}\n`);
    return readFileSync(path, 'utf8').trim();
  });
  if (keyIdOf(apiKey) !== undefined) return apiKey;
  throw new SandboxKeyUnusable(
    `the file ${path} does not hold an API key: delete it, and the next start makes a new key`,
  );
}

function attempt<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new SandboxKeyUnusable(
      `the file ${path} of the sandbox key cannot be used: ${codeOf(error)}; set SEGUE_DATA_DIR to another folder`,
    );
  }
}
