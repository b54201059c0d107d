import type { Command } from 'commander';
import { accountFor, addUrlOption, NOT_LOGGED_IN } from './api-client.ts';
import type { CliContext } from './deployment.ts';
import { UsageError } from './io.ts';

/** Adds the command `segue mcp`. */
export function addMcpCommand(segue: Command, { env, stackName }: CliContext): void {
  addUrlOption(segue.command('mcp')).action(async ({ url }: { url?: string }) => {
    if (stackName()) throw new UsageError('this command calls the API: give --url instead of --stack');
    const account = await accountFor(env, url);
    if (!account) throw new UsageError(NOT_LOGGED_IN);
    const { serveAgent } = await import('./serve-agent.ts');
    await serveAgent(account, process);
  });
}
