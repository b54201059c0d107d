import { LANGUAGES_LISTED } from '../../lib/contract/languages.ts';
import { SEGUE } from '../../lib/contract/segue-command.ts';
import type { FailureType } from '../../lib/service/http-client/failure.ts';
import { SegueError } from '../client/error.ts';
import { CliError } from './io.ts';

/** The options of commands that are parameters of requests, by the pointers of faults. */
const OPTIONS: Readonly<Record<string, string>> = {
  '/query/createdAfter': '--created-after',
  '/query/customIdPrefix': '--custom-id-prefix',
  '/query/dueBefore': '--due-before',
  '/query/languageCode': '--language',
  '/query/state': '--state',
  '/query/status': '--status',
  '/query/taskId': '--task',
  '/query/revision': '--revision',
  '/headers/idempotency-key': '--idempotency-key',
  '/headers/if-match': '--plan',
};

/** How many faults are shown. A file with faults shows all. */
const SHOWN_FAULTS = 3;
/** The problems that mean a wrong command line or wrong credentials. Segue did nothing. */
const USAGE: readonly FailureType[] = ['unauthenticated', 'invalid-parameter', 'invalid-header'];

/** What the user of a command can do about problems: beyond what the detail says, or instead of it. */
export type Advice = Readonly<Partial<Record<FailureType, { readonly also: string } | { readonly instead: string }>>>;

/** Stands in the detail of `no-answer` for a port to which `fetch` sends nothing. */
const BAD_PORT = '(BAD_PORT)';
const REFUSED_PORTS = 'Node sends no requests to the ports of some other services, such as 1, 25 and 6000.';

/** Returns the advice for every command that sends requests to a base URL. */
function adviceAt(url: string, isBadPort: boolean): Advice {
  const check = 'Is Segue there? If not, set SEGUE_URL, or give --url.';
  const also = `The URL is ${url}. ${check}`;
  return {
    'no-answer': isBadPort ? { instead: `The URL is ${url}. ${REFUSED_PORTS} ${check}` } : { also },
    'unreadable-answer': { also },
    'project-not-found': { also: `To see all projects, run: ${SEGUE} projects list` },
    'route-not-found': { instead: `The API is not at ${url}. ${check}` },
    unauthenticated: {
      instead: `Segue rejects the credentials. Check SEGUE_COMPANY_ID and SEGUE_API_KEY, or run: ${SEGUE} login`,
    },
  };
}

/**
 * Returns the error of a request for the user of a command: with the command's options instead of parameters, and with
 * what to do.
 * @param url the base URL of the request
 * @param advice what to do about problems of this command
 * @returns any other error as it is
 */
export function refusal(
  error: unknown,
  { url, advice = {} }: { readonly url: string; readonly advice?: Advice | undefined },
): unknown {
  if (!(error instanceof SegueError)) return error;
  const { type, detail } = error;
  const found = { ...adviceAt(url, detail.includes(BAD_PORT)), ...advice }[type] ?? { also: '' };
  const parts = 'instead' in found ? [found.instead] : [...explain(error), found.also];
  const exitCode = USAGE.includes(type) ? 2 : 1;
  return new CliError(`${type}: ${parts.filter(Boolean).join(' ')}`, { exitCode, cause: error });
}

function explain({ detail, errors, deletedAtUtc }: SegueError): string[] {
  const faults = errors.slice(0, SHOWN_FAULTS).filter((fault) => fault.detail !== detail);
  return [detail, ...faults.map(formatFault), deletedAtUtc === undefined ? '' : `It was deleted at ${deletedAtUtc}.`];
}

type Fault = SegueError['errors'][number];

function formatFault(fault: Fault): string {
  const option = OPTIONS[fault.pointer];
  if (option === undefined) return [fault.pointer, detailOf(fault)].filter(Boolean).join(': ');
  const name = fault.pointer.slice(fault.pointer.lastIndexOf('/') + 1);
  return detailOf(fault).replace(name, option);
}

/** Returns the detail of a fault with the accepted values, and with the command that lists all languages. */
export function detailOf({ detail, allowed = [] }: Pick<Fault, 'detail' | 'allowed'>): string {
  const text = detail.replace(LANGUAGES_LISTED, `To list all languages, run: ${SEGUE} languages`);
  const isListed = allowed.every((value) => detail.includes(String(value)));
  return isListed ? text : `${text} Allowed: ${allowed.join(', ')}.`;
}
