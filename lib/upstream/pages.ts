import type { ProjectHead } from '../contract/answer.ts';
import { PARAMETERS } from '../contract/parameters.ts';
import type { ProjectPage } from '../service/port.ts';

/** What was asked for. */
interface Page {
  readonly limit: number;
  readonly after?: number | undefined;
}

const LINK = /<([^<>]*)>((?:\s*;[^;,"]*(?:"[^"]*")?)*)/g;
const REL_NEXT = /;\s*rel\s*=\s*(?:"(?:[^"]*\s)?next(?:\s[^"]*)?"|next\s*(?:;|$))/i;

/**
 * Makes a page of what the service gave: its own page, or all its projects where it has no pages.
 * @param link the header `Link`
 * @returns `undefined` where more projects remain behind a link that cannot be followed
 */
export function pageFrom(
  given: readonly ProjectHead[],
  link: string | undefined,
  { limit, after = Number.POSITIVE_INFINITY }: Page,
): ProjectPage | undefined {
  const rest = given.filter(({ id }) => id < after).toSorted((a, b) => b.id - a.id);
  const projects = rest.slice(0, limit);
  const last = projects.at(-1);
  if (rest.length > limit && last) return { projects, next: last.id };
  const target = nextTarget(link ?? '');
  if (target === undefined) return { projects };
  const next = cursorIn(target);
  // A link that leads back would be followed for ever.
  return next !== undefined && next < after ? { projects, next } : undefined;
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
