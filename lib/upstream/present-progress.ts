import { utc } from '../contract/date.ts';
import { fieldsOf } from '../contract/pointer.ts';
import { deadlineAt } from '../service/deadline.ts';
import type { CallContext } from '../service/port.ts';
import type { ServiceProject } from '../service/project-document.ts';
import type { UpstreamDeps } from './deps.ts';
import { problemFrom } from './failures.ts';
import type { Entry } from './ledger.ts';
import type { UpstreamAnswer } from './upstream-answer.ts';
import { fetchProjectsPage, type UpstreamProject } from './upstream-project.ts';

/** How many pages of the upstream list are read for one page of the company's list. */
const MAX_PAGES = 3;
/** The longest time for these reads, in milliseconds. They also take at most half of the time that is left. */
const MAX_MS = 5_000;

/**
 * Returns projects with the present state and progress of their target languages, which are read in a few pages of the
 * upstream list. If the service does not show them, they are null, and `lastKnown` has the last values with their time.
 * @param entries the ledger entries of the projects whose values are from the ledger, by their ids, the newest first
 * @param isRequired whether a failed read fails the list
 */
export async function withPresentProgress(
  deps: UpstreamDeps,
  projects: readonly ServiceProject[],
  entries: ReadonlyMap<number, Entry>,
  { isRequired, call }: { readonly isRequired: boolean; readonly call: CallContext },
): Promise<ServiceProject[]> {
  const present = await fetchPresent(deps, [...entries.values()], call);
  if (present.kind !== 'ok' && isRequired) throw problemFrom(present);
  const heads = present.kind === 'ok' ? present.heads : new Map<number, UpstreamProject>();
  return projects.map((head) => {
    const entry = entries.get(head.id);
    const languages = head.targetLanguages;
    if (!entry || !Array.isArray(languages)) return head;
    const shown = languagesOf(heads.get(entry.id));
    const atUtc = utc(entry.headAtMs ?? entry.enteredAtMs);
    return { ...head, targetLanguages: languages.map((language: unknown) => presentLanguage(language, shown, atUtc)) };
  });
}

/** Fetches the present heads of projects, by their ids. Projects that the service does not show are left out. */
async function fetchPresent(
  { client, now }: UpstreamDeps,
  entries: readonly Entry[],
  call: CallContext,
): Promise<UpstreamAnswer<{ readonly heads: ReadonlyMap<number, UpstreamProject> }>> {
  const missing = new Map(entries.map(({ id, name }) => [id, name]));
  const heads = new Map<number, UpstreamProject>();
  const [newest, oldest] = [entries.at(0)?.id, entries.at(-1)?.id];
  if (newest === undefined || oldest === undefined) return { kind: 'ok', heads };
  const deadline = deadlineAt(now() + Math.min(MAX_MS, call.deadline.remainingMs() / 2), now);
  // The page of the upstream list starts with the newest project.
  let after: number | undefined = newest < Number.MAX_SAFE_INTEGER ? newest + 1 : undefined;
  for (let pages = 0; pages < MAX_PAGES && missing.size > 0; pages++) {
    const page = await fetchProjectsPage(client, after, { ...call, deadline });
    if (page.kind !== 'ok') return page;
    const { projects, next } = page;
    for (const project of projects) {
      // Another project may have this id, if the ledger has a wrong one.
      if (missing.get(project.id) === undefined || missing.get(project.id) !== project.customId) continue;
      heads.set(project.id, project);
      missing.delete(project.id);
    }
    if (next === undefined || next <= oldest) break;
    after = next;
  }
  return { kind: 'ok', heads };
}

type Fields = Readonly<Record<string, unknown>>;

function languagesOf(project: UpstreamProject | undefined): readonly Fields[] {
  const languages: unknown = project?.targetLanguages;
  return Array.isArray(languages) ? languages.map((language: unknown) => fieldsOf(language) ?? {}) : [];
}

/** Returns a target language of the ledger with its present state and progress. */
function presentLanguage(language: unknown, shown: readonly Fields[], atUtc: string): unknown {
  const known = fieldsOf(language);
  if (!known || Array.isArray(language)) return language;
  const found = shown.find((each) => isSame(each, known));
  if (found && ('state' in found || 'progress' in found)) {
    return { ...known, state: found['state'] ?? null, progress: found['progress'] ?? null };
  }
  const { state = null, progress = null } = known;
  return { ...known, state: null, progress: null, lastKnown: { state, progress, atUtc } };
}

/** The fields by which a target language is recognised, the surest first. */
const NAMES = ['id', 'targetLanguageId', 'targetLanguageCode'];

/** Checks whether two entries are the same target language: the first name that both have is the same. */
function isSame(one: Fields, other: Fields): boolean {
  const name = NAMES.find((each) => (one[each] ?? null) !== null && (other[each] ?? null) !== null);
  return name !== undefined && one[name] === other[name];
}
