import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import { readBaseUrl, writeBaseUrl } from '../../lib/contract/base-url.ts';
import { SEGUE } from '../../lib/contract/segue-command.ts';
import { replaceFile, useFile } from './files.ts';
import { CliError, type CliIo, errorCode, UsageError } from './io.ts';

/** An account at an API. */
export interface Account {
  /** The base URL of the API. */
  readonly url: string;
  readonly companyId: string;
  readonly apiKey: string;
}

const Logins = z.object({
  /** The URL of the last login. */
  current: z.optional(z.string()),
  accounts: z.record(z.string(), z.object({ companyId: z.string(), apiKey: z.string() })),
});
type Logins = z.infer<typeof Logins>;

/** Returns the path of the file that `segue login` writes. @throws {CliError} if the user has no home */
export function loginPath(env: CliIo['env']): string {
  const { XDG_CONFIG_HOME, HOME } = env;
  if (XDG_CONFIG_HOME) return join(XDG_CONFIG_HOME, 'segue/login.json');
  if (HOME) return join(HOME, '.config/segue/login.json');
  throw new UsageError('set HOME to the folder of the user: credentials are stored there');
}

/** Returns the form of a URL under which its account is stored. */
function keyOf(url: string): string {
  const base = readBaseUrl(url, { protocols: ['http', 'https'] });
  return base ? writeBaseUrl(base) : url;
}

/**
 * Reads the account of an API.
 * @param url the base URL; without it, that of the last login
 * @throws {CliError} if the file cannot be read
 */
export async function readLogin(env: CliIo['env'], url: string | undefined): Promise<Account | undefined> {
  if (!env['XDG_CONFIG_HOME'] && !env['HOME']) return undefined;
  const { current, accounts } = await readLogins(loginPath(env));
  const chosen = url === undefined ? current : keyOf(url);
  const account = chosen === undefined ? undefined : accounts[chosen];
  return chosen !== undefined && account ? { url: chosen, ...account } : undefined;
}

/** Adds an account, and makes it the current one. */
export async function addLogin(env: CliIo['env'], { url, ...account }: Account): Promise<void> {
  const { accounts } = await readLogins(loginPath(env));
  const key = keyOf(url);
  await writeLogins(loginPath(env), { current: key, accounts: { ...accounts, [key]: account } });
}

/** Removes the account of an API. */
export async function removeLogin(env: CliIo['env'], url: string): Promise<void> {
  const { current, accounts } = await readLogins(loginPath(env));
  const key = keyOf(url);
  const { [key]: _, ...others } = accounts;
  await writeLogins(loginPath(env), { ...(current !== key && { current }), accounts: others });
}

async function readLogins(path: string): Promise<Logins> {
  try {
    return Logins.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return { accounts: {} };
    throw new CliError(`the file ${path} cannot be used: remove it, and run ${SEGUE} login again`, {
      cause,
    });
  }
}

/** Replaces the file at once. Only its owner may read it. */
async function writeLogins(path: string, logins: Logins): Promise<void> {
  await useFile({ path, to: 'written' }, () => mkdir(dirname(path), { recursive: true, mode: 0o700 }));
  await replaceFile(path, `${JSON.stringify(logins, undefined, 2)}\n`, 0o600);
}
