import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import type { EventType, PublishedEvent } from '../../contract/event.ts';
import { Problem } from '../../contract/problem.ts';
import type { ProjectHead, TeamMemberAnswer } from '../../contract/project-answer.ts';
import { companyPartition } from '../../records/keys.ts';
import type { Deadline } from '../../service/deadline.ts';
import type { EventFeed, EventPage } from '../../service/event-feed.ts';
import type { SendMail } from '../../service/mail.ts';
import { nextTurn } from '../../service/turn.ts';
import type { Key, Storage, Write } from '../../storage/port.ts';
import { recordOf } from '../../storage/record.ts';
import { readHead, readProject } from '../read-projects.ts';
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

/** The schema of how far a person was told of events. */
const Person = recordOf(() => ({
  /** The hash of the e-mail address. */
  hash: z.string(),
  /** The id of the last event up to which the person was told; null if that is the company's. */
  after: z.nullable(z.string()),
  /** How many e-mails to the person failed one after the other. */
  failed: z.int(),
}));
type Person = z.infer<typeof Person>;

/** The schema of the record of a company's e-mails. It has ids and times, and no addresses. */
const MailState = recordOf(() => ({
  /** The id of the last event up to which everybody was told; null before the first run. */
  after: z.nullable(z.string()),
  /** The people who were told of later events, or whose last e-mail failed. */
  people: z.array(Person),
  /** When the next run may start, in milliseconds since 1970. */
  notBeforeMs: z.number(),
}));
type MailState = z.infer<typeof MailState>;

const FIRST: MailState = { after: null, people: [], notBeforeMs: 0 };

/** The pause between two e-mails to a person, and between two runs, in milliseconds. */
const PAUSE_MS = 60_000;
/** After how many failures an e-mail to a person is given up. */
const MAX_FAILURES = 30;
/** E-mails about older events are not sent, in milliseconds: an operator may have switched e-mail on just now. */
const MAX_AGE_MS = 86_400_000;
/** How many events a run may tell people of. More wait for the next run, and so for the next e-mail of each person. */
const MAX_TOLD = 5_000;
/** How many events a run reads at most. */
const MAX_READ = 20_000;
/** The number of events on one page of the feed. */
const PAGE_EVENTS = 500;

/**
 * Creates the function that sends each member of a managed project one e-mail about all changes since the last one. It
 * reads the feed of events, so nothing is lost if it stops. If it stops between sending an e-mail and recording that, the
 * person gets the e-mail twice. An e-mail that fails delays no other person.
 */
export function digestSender(deps: MailDeps): SendDigests {
  const { storage, now, send } = deps;

  return async (companyId, deadline) => {
    const counts: { -readonly [Name in keyof MailCounts]: MailCounts[Name] } = { done: 0, postponed: 0, dead: 0 };
    const key: Key = { partition: companyPartition(companyId), sort: 'mail' };
    const item = await storage.read(key);
    let version = item?.version;
    const state = item ? MailState.parse(item.data) : FIRST;
    // A later time than after a pause was stored while the clock was wrong.
    if (state.notBeforeMs > now() && state.notBeforeMs <= now() + PAUSE_MS) return counts;
    const events = await nextEvents(deps, companyId, state.after, deadline);
    const until = events.at(-1)?.id;
    if (until === undefined) return counts;
    const places = new Map(events.map(({ id }, place) => [id, place]));
    const placeOf = (id: string | null) => (id === null ? -1 : (places.get(id) ?? -1));
    const people = new Map(state.people.map((person) => [person.hash, person]));

    /** Stores how far people were told, and starts a pause. @returns `false` if another run has done so */
    async function store(data: MailState): Promise<boolean> {
      const write: Write =
        version === undefined ? { kind: 'insert', key, data } : { kind: 'replace', key, version, data };
      const { ok } = await storage.commit({ writes: [write] });
      version = (version ?? 0) + 1;
      return ok;
    }
    const present = (): MailState => ({ ...state, people: [...people.values()], notBeforeMs: now() + PAUSE_MS });

    const mails = await mailsOf(deps, companyId, events);
    // The record is also the lease of this run: nobody else starts before the pause is over.
    if (mails.size > 0 && !(await store(present()))) return counts;
    const behind = new Set<string>();
    let untold = events.length;
    for (const [address, all] of mails) {
      const hash = hashOf(address);
      const person = people.get(hash) ?? { hash, after: null, failed: 0 };
      const own = all.filter(({ id }) => placeOf(id) > placeOf(person.after));
      const [first] = own;
      if (!first) continue;
      const isTimeLeft = deadline.remainingMs() > 0;
      const sending = isTimeLeft ? send(mailText(address, own)) : undefined;
      const result = await sending?.catch((error: unknown) => {
        counts.failure ??= error;
      });
      const failed = person.failed + (isTimeLeft ? 1 : 0);
      if (!result && failed < MAX_FAILURES) {
        counts.postponed++;
        people.set(hash, { ...person, failed });
        behind.add(hash);
        untold = Math.min(untold, placeOf(first.id));
      } else {
        counts[result === 'sent' ? 'done' : 'dead']++;
        people.set(hash, { hash, after: until, failed: 0 });
        if (!(await store(present()))) return counts;
      }
    }
    const isNeeded = ({ hash, after }: Person) => behind.has(hash) || placeOf(after) >= untold;
    const after = events[untold - 1]?.id ?? state.after;
    const left = [...people.values()].filter(isNeeded);
    await store({ after, people: left, notBeforeMs: mails.size > 0 ? now() + PAUSE_MS : 0 });
    return counts;
  };
}

/** Reads the events after one of them, as many as a run can tell. */
async function nextEvents(
  { feed, now }: MailDeps,
  companyId: string,
  after: string | null,
  deadline: Deadline,
): Promise<readonly PublishedEvent[]> {
  const page = (from?: string): Promise<EventPage> =>
    feed.page({ after: from, limit: PAGE_EVENTS }, { companyId, deadline });
  let next = await page(after ?? undefined).catch((error: unknown) => {
    // The feed keeps events for 30 days. If the last one is older, all that are left are new.
    if (error instanceof Problem && error.name === 'events-expired') return page();
    throw error;
  });
  const events = [...next.events];
  let told = 0;
  for (;;) {
    told += next.events.filter((event) => isTold(event, now())).length;
    const isEnough = told >= MAX_TOLD || events.length >= MAX_READ || deadline.remainingMs() <= 0;
    if (!next.more || isEnough) return events;
    // A store in this process answers at once. Without this pause, no other request would run.
    await nextTurn();
    next = await page(events.at(-1)?.id);
    events.push(...next.events);
  }
}

/** Whether members may be told of an event. */
function isTold({ type, timestamp }: PublishedEvent, nowMs: number): boolean {
  return RECEIVERS[type] !== undefined && Date.parse(timestamp) >= nowMs - MAX_AGE_MS;
}

/** Returns the events to tell each person, by the e-mail address. */
async function mailsOf(
  { storage, now, domains }: MailDeps,
  companyId: string,
  events: readonly PublishedEvent[],
): Promise<Map<string, PublishedEvent[]>> {
  const mails = new Map<string, PublishedEvent[]>();
  const heads = new Map<number, ProjectHead | undefined>();
  for (const [place, event] of events.entries()) {
    if (place % PAGE_EVENTS === 0) await nextTurn();
    const { projectId } = event.data;
    if (!isTold(event, now())) continue;
    if (!heads.has(projectId)) heads.set(projectId, await headOf(storage, companyId, projectId));
    for (const address of receiversOf(event, heads.get(projectId))) {
      if (!domains.has(address.slice(address.lastIndexOf('@') + 1))) continue;
      const own = mails.get(address) ?? [];
      own.push(event);
      mails.set(address, own);
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
