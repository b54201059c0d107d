import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import type { EventType, PublishedEvent } from '../../contract/event.ts';
import { Problem } from '../../contract/problem.ts';
import type { ProjectHead, TeamMemberAnswer } from '../../contract/project-answer.ts';
import { companyPartition } from '../../idempotency/project-item.ts';
import type { Deadline } from '../../service/deadline.ts';
import type { EventFeed, EventPage } from '../../service/event-feed.ts';
import type { SendMail } from '../../service/mail.ts';
import type { Key, Storage } from '../../storage/port.ts';
import { readHead } from '../read-projects.ts';
import { readProject } from '../work/project-parts.ts';
import { mailText } from './mail-text.ts';

/** The dependencies of the e-mails to members. */
export interface MailDeps {
  readonly storage: Storage;
  /** Returns the current time, in milliseconds since 1970. */
  readonly now: () => number;
  readonly feed: EventFeed;
  readonly send: SendMail;
  /** The domains to which e-mails may go, in lower case. */
  readonly domains: ReadonlySet<string>;
}

/** How many e-mails of a run were sent, will be tried again, or were given up. */
export interface MailCounts {
  readonly done: number;
  readonly postponed: number;
  readonly dead: number;
  /** The error of the first e-mail that could not be sent. */
  readonly failure?: unknown;
}

/** Sends the e-mails of a company that are due. */
export type SendDigests = (companyId: string, deadline: Deadline) => Promise<MailCounts>;

/** The schema of the record of a company's e-mails. It has ids and times, and no addresses. */
const MailState = z.strictObject({
  /** The id of the last event whose e-mails have all been sent; null before the first one. */
  after: z.nullable(z.string()),
  /** The id of the last event of the present e-mails; null if none are being sent. */
  until: z.nullable(z.string()),
  /** The hashes of the addresses that have got their present e-mail, or never will. */
  ended: z.array(z.string()),
  /** How many runs have tried to send the present e-mails. */
  runs: z.int(),
  /** When the next run may start, in milliseconds since 1970. */
  notBeforeMs: z.number(),
});
type MailState = z.infer<typeof MailState>;

const FIRST: MailState = { after: null, until: null, ended: [], runs: 0, notBeforeMs: 0 };

/** The pause between two e-mails to a person, and between two runs, in milliseconds. */
const PAUSE_MS = 60_000;
/** After how many runs the e-mails that could not be sent are given up. */
const MAX_RUNS = 30;
/** E-mails about older events are not sent, in milliseconds: an operator may have switched e-mail on just now. */
const MAX_AGE_MS = 86_400_000;
/** The maximum number of events of one run. */
const MAX_EVENTS = 500;

/**
 * Creates the function that sends each member of a managed project one e-mail about all changes of the last minute. It
 * reads the feed of events, so nothing is lost if it stops. If it stops between sending an e-mail and recording that, the
 * person gets the e-mail twice.
 */
export function digestSender(deps: MailDeps): SendDigests {
  const { storage, now, send } = deps;

  return async (companyId, deadline) => {
    const counts: { -readonly [Name in keyof MailCounts]: MailCounts[Name] } = { done: 0, postponed: 0, dead: 0 };
    const key: Key = { partition: companyPartition(companyId), sort: 'mail' };
    let item = await storage.read(key);
    let state = item ? MailState.parse(item.data) : FIRST;
    if (state.notBeforeMs > now()) return counts;
    const events = upTo(state.until, await nextEvents(deps, companyId, state, deadline));
    const until = events.at(-1)?.id;
    if (until === undefined) return counts;

    /** Stores a new state. @returns `false` if another run has changed it */
    async function store(changed: MailState): Promise<boolean> {
      const { ok } = await storage.commit({
        writes: [
          item
            ? { kind: 'replace', key, version: item.version, data: changed }
            : { kind: 'insert', key, data: changed },
        ],
      });
      state = changed;
      item = await storage.read(key);
      return ok;
    }

    const mails = await mailsOf(deps, companyId, events);
    // The record is also the lease of this run: nobody else starts before the pause is over.
    if (!(await store({ ...state, until, runs: state.runs + 1, notBeforeMs: now() + PAUSE_MS }))) return counts;
    for (const [address, own] of mails) {
      const hash = hashOf(address);
      if (state.ended.includes(hash)) continue;
      if (deadline.remainingMs() <= 0) return counts;
      const result = await send(mailText(address, own)).catch((error: unknown) => {
        counts.failure ??= error;
      });
      if (!result) {
        counts.postponed++;
        continue;
      }
      counts[result === 'sent' ? 'done' : 'dead']++;
      if (!(await store({ ...state, ended: [...state.ended, hash] }))) return counts;
    }
    if (counts.postponed > 0 && state.runs < MAX_RUNS) return counts;
    await store({ ...FIRST, after: until, notBeforeMs: now() + PAUSE_MS });
    return { ...counts, postponed: 0, dead: counts.dead + counts.postponed };
  };
}

/** Reads the events after those whose e-mails have been sent. */
async function nextEvents(
  { feed }: MailDeps,
  companyId: string,
  { after }: MailState,
  deadline: Deadline,
): Promise<readonly PublishedEvent[]> {
  const page = (from?: string): Promise<EventPage> =>
    feed.page({ after: from, limit: MAX_EVENTS }, { companyId, deadline });
  const { events } = await page(after ?? undefined).catch((error: unknown) => {
    // The feed keeps events for 30 days. If the last one is older, all that are left are new.
    if (error instanceof Problem && error.name === 'events-expired') return page();
    throw error;
  });
  return events;
}

/** Returns the events up to one of them; all if it is not among them. */
function upTo(id: string | null, events: readonly PublishedEvent[]): readonly PublishedEvent[] {
  const index = events.findIndex((event) => event.id === id);
  return index === -1 ? events : events.slice(0, index + 1);
}

/** Returns the events to tell each person, by the e-mail address. */
async function mailsOf(
  { storage, now, domains }: MailDeps,
  companyId: string,
  events: readonly PublishedEvent[],
): Promise<Map<string, PublishedEvent[]>> {
  const mails = new Map<string, PublishedEvent[]>();
  const heads = new Map<number, ProjectHead | undefined>();
  for (const event of events) {
    const { projectId } = event.data;
    if (!RECEIVERS[event.type] || Date.parse(event.timestamp) < now() - MAX_AGE_MS) continue;
    if (!heads.has(projectId)) heads.set(projectId, await headOf(storage, companyId, projectId));
    for (const address of receiversOf(event, heads.get(projectId))) {
      if (!domains.has(address.slice(address.lastIndexOf('@') + 1))) continue;
      mails.set(address, [...(mails.get(address) ?? []), event]);
    }
  }
  return mails;
}

/** Reads a project without its segments; `undefined` if it was deleted. */
async function headOf(storage: Storage, companyId: string, id: number): Promise<ProjectHead | undefined> {
  for (;;) {
    const project = await readProject(storage, companyId, id);
    const head = project && (await readHead({ storage }, project.item));
    if (head || !project) return head;
  }
}

type IsReceiver = (member: TeamMemberAnswer, event: PublishedEvent) => boolean;

const isManager: IsReceiver = ({ isProjectManager }) => isProjectManager === true;

/** Which members of the team are told of an event. Nobody is told of other types of events. */
const RECEIVERS: Readonly<Partial<Record<EventType, IsReceiver>>> = {
  'language.state-changed': isManager,
  'language.completed': isManager,
  'translation.failed': isManager,
  'task.unassigned': isManager,
  'task.assigned': ({ id }, { data }) => id === data.memberId,
};

/** Returns the addresses of the members who are told of an event, in lower case. */
function receiversOf(event: PublishedEvent, head: ProjectHead | undefined): string[] {
  const language = head?.targetLanguages.find(({ targetLanguageId }) => targetLanguageId === event.data.languageId);
  const isReceiver = RECEIVERS[event.type];
  if (!language?.managedProject || !isReceiver) return [];
  const members = language.team ?? [];
  return members.filter((member) => isReceiver(member, event)).map(({ username }) => username.toLowerCase());
}

function hashOf(address: string): string {
  return createHash('sha256').update(address).digest('base64url').slice(0, 16);
}
