import type { Command } from 'commander';
import { SegueError } from '../client/error.ts';
import { addUrlOption, clientOf, DEFAULT_URL, namedUrl } from './api-client.ts';
import { type Advice, refusal } from './api-errors.ts';
import type { CliContext } from './deployment.ts';
import { CliError, UsageError } from './io.ts';

const WRONG_KEY: Advice = {
  unauthenticated: { instead: 'Segue rejects the credentials. Check --company and the API key.' },
};

/** Adds the commands `segue login` and `segue logout`. */
export function addLoginCommands(segue: Command, { env, print, readSecret, readStdin }: CliContext): void {
  const login = segue.command('login').requiredOption('--company <company id>', 'the company');
  addUrlOption(login).action(async ({ company: companyId, url }: { company: string; url?: string }) => {
    const baseUrl = namedUrl(env, url) ?? DEFAULT_URL;
    const read = readSecret?.('API key: ') ?? readStdin?.() ?? '';
    const [apiKey = ''] = (await read).split(/\r?\n/);
    if (apiKey === '') throw new UsageError('pipe the API key in, or type it');
    const client = await clientOf({ baseUrl, companyId, apiKey });
    await client.listLanguages().catch((error: unknown) => {
      // A key without the scope `read` is good too.
      if (!(error instanceof SegueError) || error.type !== 'scope-missing')
        throw refusal(error, { url: baseUrl, advice: WRONG_KEY });
    });
    const { addLogin, loginPath } = await import('./login-file.ts');
    await addLogin(env, { url: baseUrl, companyId, apiKey });
    const path = loginPath(env);
    print({ url: baseUrl, companyId, file: path }, `Logged in to ${baseUrl} as ${companyId}. The key is in ${path}.\n`);
  });

  addUrlOption(segue.command('logout')).action(async ({ url: named }: { url?: string }) => {
    const { readLogin, removeLogin } = await import('./login-file.ts');
    const login = await readLogin(env, namedUrl(env, named));
    if (!login) throw new CliError(`no credentials are stored for ${namedUrl(env, named) ?? 'any API'}`);
    const { url } = login;
    await removeLogin(env, url);
    print({ url }, `Logged out of ${url}. The key stays valid until the operator revokes it.\n`);
  });
}
