import type { Command } from 'commander';
import { BASE_URL_RULE, readBaseUrl } from '../../lib/contract/base-url.ts';
import { SEGUE } from '../../lib/contract/segue-command.ts';
import type { SegueClient } from '../client/segue-client.ts';
import type { Advice } from './api-errors.ts';
import type { CliContext } from './deployment.ts';
import { UsageError } from './io.ts';
import type { Account } from './login-file.ts';

/** The URL of `npm start`. */
export const DEFAULT_URL = 'http://127.0.0.1:8787';

/** Adds the option that names the API. */
export function addUrlOption(command: Command): Command {
  return command.option(
    '--url <base url>',
    `the base URL of the API; default: SEGUE_URL, or the last login, or ${DEFAULT_URL}`,
  );
}

/** Adds the argument of a command about one project, without the option `--custom-id`. */
export function addProjectArgument(command: Command): Command {
  return command.argument(
    '<project>',
    'the project’s id, as `segue projects list` shows it, or with --custom-id its custom id',
  );
}

/** The options of a command about one project. */
export interface ProjectOptions {
  readonly task?: string;
  readonly customId?: true;
  readonly url?: string;
}

/** Adds the argument and the options of a command about one project. */
export function addProjectOptions(command: Command): Command {
  addProjectArgument(command)
    .option('--task <task id>', 'only this task')
    .option('--custom-id', 'the argument is the project’s custom id');
  return addUrlOption(command);
}

/**
 * Calls the API as a partner does: with the credentials in the environment, or else with those of `segue login`.
 * @param url the base URL of the API, if the command line names it
 * @param advice what to do about problems of this command
 * @param work may say what it does, for the progress line
 * @throws {CliError} if the credentials are missing, or the API refuses a request
 */
export async function withApi<T>(
  { env, progress, stackName }: Pick<CliContext, 'env' | 'progress' | 'stackName'>,
  { url, advice }: { readonly url?: string | undefined; readonly advice?: Advice },
  work: (client: SegueClient, say: (text: string) => void) => Promise<T>,
): Promise<T> {
  if (stackName()) throw new UsageError('this command calls the API: give --url instead of --stack');
  const account = await accountFor(env, url);
  if (!account) throw new UsageError(NOT_LOGGED_IN);
  try {
    const client = await clientOf({ baseUrl: account.url, ...account });
    return await progress.during(`Waiting for ${account.url}`, (say) => work(client, say));
  } catch (error) {
    const { refusal } = await import('./api-errors.ts');
    throw refusal(error, { url: account.url, advice });
  }
}

/** What to do without credentials. */
export const NOT_LOGGED_IN = `run ${SEGUE} login, or set SEGUE_COMPANY_ID and SEGUE_API_KEY to the credentials of the company`;

/**
 * Returns the account with which commands call the API. The credentials in the environment go only to the URL in the
 * environment or the command line, never to that of a login.
 * @throws {CliError} if the URL is invalid
 */
export async function accountFor(env: CliContext['env'], url: string | undefined): Promise<Account | undefined> {
  const { SEGUE_COMPANY_ID: companyId, SEGUE_API_KEY: apiKey } = env;
  const named = namedUrl(env, url);
  if (companyId && apiKey) return { url: named ?? DEFAULT_URL, companyId, apiKey };
  const { readLogin } = await import('./login-file.ts');
  return readLogin(env, named);
}

/**
 * Returns the base URL that the command line or the environment names.
 * @throws {CliError} if the URL is invalid
 */
export function namedUrl({ SEGUE_URL }: CliContext['env'], url: string | undefined): string | undefined {
  if (url !== undefined) return requireBaseUrl(url, '--url');
  return SEGUE_URL ? requireBaseUrl(SEGUE_URL, 'SEGUE_URL') : undefined;
}

const PROTOCOLS = { protocols: ['http', 'https'] } as const;

/**
 * Checks a base URL.
 * @param name the option or variable with the URL
 * @throws {CliError} if the URL is invalid
 */
function requireBaseUrl(text: string, name: string): string {
  if (readBaseUrl(text, PROTOCOLS)) return text;
  const rule = `${name} must be ${BASE_URL_RULE}`;
  // The text may have credentials, which are not shown.
  if (text.includes('@')) throw new UsageError(rule);
  const meant = ['http://', 'https://'].map((scheme) => scheme + text).find((url) => readBaseUrl(url, PROTOCOLS));
  const hint = meant === undefined ? '' : `. Did you mean ${meant}?`;
  throw new UsageError(`${rule}, not ${text || 'empty'}${hint}`);
}

/** Reads the argument of a command that is a project's id, unless the user says `--custom-id`. */
export function requireProjectId(text: string): number {
  const id = Number(text);
  if (/^[1-9]\d*$/.test(text) && Number.isSafeInteger(id)) return id;
  throw new UsageError('the project must be an id; to give a custom id, add --custom-id');
}

/** Returns the id of a project, which a command names by its id, or with `--custom-id` by its custom id. */
export async function findProjectId(
  client: SegueClient,
  project: string,
  { customId }: { readonly customId?: true },
): Promise<number> {
  return customId ? (await client.getProjectByCustomId(project)).id : requireProjectId(project);
}

/** Creates a client. @throws {CliError} if the company id is invalid */
export async function clientOf(options: ConstructorParameters<typeof SegueClient>[0]): Promise<SegueClient> {
  const { SegueClient } = await import('../client/segue-client.ts');
  try {
    return new SegueClient(options);
  } catch (error) {
    // The messages of these errors are for users, and do not contain the API key.
    throw error instanceof TypeError ? new UsageError(error.message, { cause: error }) : error;
  }
}
