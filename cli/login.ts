import type { Command } from 'commander';
import { SegueError } from '../lib/client/error.ts';
import { addUrlOption, clientOf, DEFAULT_URL, refusal } from './api-client.ts';
import type { CliContext } from './deployment.ts';
import { CliError } from './io.ts';
import { addLogin, loginPath, removeLogin } from './login-file.ts';

/** Adds the commands `segue login` and `segue logout`. */
export function addLoginCommands(segue: Command, { env, print, readSecret, readStdin }: CliContext): void {
  const login = segue
    .command('login')
    .description('store the credentials of a company for the commands that call the API')
    .requiredOption('--company <company id>', 'the company');
  addUrlOption(login).action(async ({ company: companyId, url }: { company: string; url?: string }) => {
    const baseUrl = url ?? (env['SEGUE_URL'] || DEFAULT_URL);
    const read = readSecret?.('API key: ') ?? readStdin?.() ?? '';
    const [apiKey = ''] = (await read).split(/\r?\n/);
    if (apiKey === '') throw new CliError('pipe the API key in, or type it', { exitCode: 2 });
    // A key without the scope `read` is good too.
    await clientOf({ baseUrl, companyId, apiKey })
      .listLanguages()
      .catch((error: unknown) => {
        if (!(error instanceof SegueError) || error.type !== 'scope-missing') throw refusal(error);
      });
    await addLogin(env, { url: baseUrl, companyId, apiKey });
    const path = loginPath(env);
    print({ url: baseUrl, companyId, file: path }, `Logged in to ${baseUrl} as ${companyId}. The key is in ${path}.\n`);
  });

  addUrlOption(segue.command('logout').description('remove the stored credentials of an API')).action(
    async ({ url = env['SEGUE_URL'] || DEFAULT_URL }: { url?: string }) => {
      if (!(await removeLogin(env, url))) throw new CliError(`no credentials are stored for ${url}`);
      print({ url }, `Logged out of ${url}. To end the key, run: segue company revoke\n`);
    },
  );
}
