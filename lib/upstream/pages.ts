import { LIMITS } from '../contract/limits.ts';
import { PARAMETERS } from '../contract/parameters.ts';
import type { Call } from '../service/port.ts';
import { readHeads } from './answer.ts';
import type { Client } from './client.ts';
import { upstreamFailures } from './failures.ts';
import { LIST } from './operations.ts';
import { pagePath } from './paths.ts';
import type { UpstreamProject } from './project.ts';
import { unreadable } from './refusal.ts';

/**
 * Lists all projects of an account at the service, page by page, or at once where it has no pages. Entries that cannot be
 * read are left out.
 * @param callFor who asks for the next page, and until when
 * @throws {Problem} `upstream-invalid` where it has further pages that cannot be asked for
 */
export async function* projectsAt(client: Client, callFor: () => Call): AsyncGenerator<UpstreamProject> {
  for (let after: number | undefined; ; ) {
    const answer = await client({ operation: LIST, path: pagePath({ limit: LIMITS.listMax, after }) }, callFor());
    const heads = readHeads(answer);
    if (!heads) throw unreadable(answer, LIST);
    yield* heads;
    const { link } = answer.headers;
    after = nextPage(typeof link === 'string' ? link : link?.join(), after);
    if (after === undefined) return;
  }
}

const LINK = /<([^<>]*)>((?:\s*;[^;,"]*(?:"[^"]*")?)*)/g;
const REL_NEXT = /;\s*rel\s*=\s*(?:"(?:[^"]*\s)?next(?:\s[^"]*)?"|next\s*(?:;|$))/i;

/**
 * After which project the next page begins.
 * @param link the header `Link` of a page
 * @param after where that page began
 * @returns `undefined` where it was the last one
 * @throws {Problem} `upstream-invalid` where there is a next page, and its link cannot be followed
 */
export function nextPage(link = '', after = Number.POSITIVE_INFINITY): number | undefined {
  const target = nextTarget(link);
  if (target === undefined) return undefined;
  const next = cursorIn(target);
  // A link that leads back would be followed for ever.
  if (next !== undefined && next < after) return next;
  throw upstreamFailures.invalid('The service has further pages, and its link to them cannot be followed.');
}

/** The URL of the link to the next page (RFC 8288). */
function nextTarget(link: string): string | undefined {
  for (const [, target, parameters = ''] of link.matchAll(LINK)) if (REL_NEXT.test(parameters)) return target;
  return undefined;
}

function cursorIn(target: string): number | undefined {
  // Only its query matters, wherever a proxy says that the service is.
  const cursors = URL.parse(target, 'http://relative.invalid')?.searchParams.getAll('cursor') ?? [];
  const [cursor = ''] = cursors;
  return cursors.length === 1 ? PARAMETERS.cursor.read(cursor) : undefined;
}
