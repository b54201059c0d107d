import { useState } from 'preact/hooks';
import type { SegueEvent } from '../client/index.ts';
import { pushQuery, useQuery } from './address.ts';
import { Empty, Notice } from './design/status.tsx';
import { ForOperators, When } from './facts.tsx';
import { type LatestEvents, latestEvents } from './latest-events.ts';
import { useLoaded } from './load.ts';
import { useProjectNames } from './names.ts';
import { PageHead, Show } from './page.tsx';
import { useClient } from './session.ts';
import { count, day, languageName, timeOfDay } from './values.ts';
import { EVENTS, LANGUAGE_STATES, ROLES, wordsFor } from './words.ts';

/** How many events the console keeps, and how many it shows at first. */
const KEPT = 1_000;
const ON_A_PAGE = 100;

/** The newest events of the company's projects. */
export function EventsPage() {
  const client = useClient();
  const [visit, setVisit] = useState(0);
  const loaded = useLoaded(() => latestEvents((after) => client.listEvents({ after }), KEPT), [visit]);
  return (
    <>
      <PageHead title="Events">
        <button type="button" onClick={() => setVisit(visit + 1)}>
          Refresh
        </button>
      </PageHead>
      <Show loaded={loaded}>{(latest) => <Latest {...latest} />}</Show>
    </>
  );
}

function Latest({ events, deleted, hasOlder, hasNewer }: LatestEvents) {
  const [shown, setShown] = useState(ON_A_PAGE);
  const { kind } = useQuery();
  const chosen = kind ? events.filter(({ type }) => type === kind) : events;
  const seen = chosen.slice(0, shown);
  const isThere = ({ data }: SegueEvent) => !deleted.has(data.projectId);
  const projectName = useProjectNames(seen.filter(isThere).map(({ data }) => data.projectId));
  if (events.length === 0) {
    return (
      <Empty title="No events">
        <p>Segue records an event when a project is created, changed or deleted, and keeps it for 30 days.</p>
      </Empty>
    );
  }
  return (
    <>
      {hasNewer && (
        <Notice kind="warning">
          There are newer events than these, which only a program can read.
          <ForOperators>
            <p>
              <code>GET /events</code> returns all of them.
            </p>
          </ForOperators>
        </Notice>
      )}
      <search class="filters" aria-label="Filters">
        <label>
          Kind
          <select value={kind ?? ''} onChange={({ currentTarget }) => pushQuery({ kind: currentTarget.value })}>
            <option value="">All events</option>
            {Object.entries(EVENTS).map(([type, name]) => (
              <option key={type} value={type}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </search>
      {chosen.length === 0 && <Empty title="No event of this kind" />}
      {Array.from(
        Map.groupBy(seen, ({ timestamp }) => day(timestamp)),
        ([date, ofDay]) => (
          <section key={date}>
            <h2>{date === day(new Date().toISOString()) ? 'Today' : date}</h2>
            <ol class="cards events" aria-label={`Events of ${date}`} reversed>
              {ofDay.map((event) => (
                <EventRow
                  key={event.id}
                  event={event}
                  isDeleted={!isThere(event)}
                  projectName={projectName(event.data.projectId)}
                />
              ))}
            </ol>
          </section>
        ),
      )}
      <div class="toolbar">
        {shown < chosen.length && (
          <button type="button" onClick={() => setShown(shown + ON_A_PAGE)}>
            Older events
          </button>
        )}
        {shown >= chosen.length && hasOlder && (
          <p class="quiet">The console shows the newest {count(KEPT)} events. A program can read all of them.</p>
        )}
      </div>
    </>
  );
}

interface RowProps {
  readonly event: SegueEvent;
  /** Whether the project is deleted, so that it has no page. */
  readonly isDeleted: boolean;
  /** `undefined` as long as it is not known, and of a deleted project. */
  readonly projectName: string | undefined;
}

function EventRow({ event: { type, timestamp, data }, isDeleted, projectName }: RowProps) {
  return (
    <li>
      <span class="name">{titleOf(type, data)}</span>
      <span class="of">
        {isDeleted ? (
          <span class="quiet">
            Deleted: <bdi>{projectName ?? `project ${data.projectId}`}</bdi>
          </span>
        ) : (
          <a href={`#/projects/${data.projectId}`}>
            <bdi>{projectName ?? `Project ${data.projectId}`}</bdi>
          </a>
        )}
      </span>
      <span class="quiet">
        {factsIn(type, data).map((fact, index) => (
          <span class="whole">
            {index > 0 && ' · '}
            <bdi>{fact}</bdi>
          </span>
        ))}
      </span>
      <span class="quiet whole">
        <When at={timestamp} as={timeOfDay} />
      </span>
    </li>
  );
}

/** The counts of an update, and how they are called. */
const COUNTS = ['kept', 'changed', 'added', 'removed'] as const;

const COMPLETED = 'language.completed';

/** Returns what happened, in words. A completed language is named. */
function titleOf(type: string, { languageCode }: SegueEvent['data']): string {
  return type === COMPLETED && languageCode ? `${languageName(languageCode)} completed` : wordsFor(EVENTS, type);
}

/** Returns what else an event says, in words. */
function factsIn(type: string, data: SegueEvent['data']): readonly string[] {
  const { taskId, languageCode, state, segments, role, memberId } = data;
  return [
    taskId && `Task ${taskId}`,
    type !== COMPLETED && languageCode && languageName(languageCode),
    state && wordsFor(LANGUAGE_STATES, state),
    segments !== undefined && `${count(segments)} ${segments === 1 ? 'segment' : 'segments'}`,
    ...COUNTS.map((name) => data[name] !== undefined && `${count(data[name])} ${name}`),
    role && wordsFor(ROLES, role),
    memberId !== undefined && `Team member ${memberId}`,
  ].filter((fact) => typeof fact === 'string');
}
