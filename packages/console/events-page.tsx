import { useState } from 'preact/hooks';
import type { SegueEvent } from '../client/index.ts';
import { useLoaded } from './load.ts';
import { Heading, Show } from './page.tsx';
import { useClient } from './session.ts';
import { date } from './values.ts';

const ON_A_PAGE = 100;

/** The events of the company's projects, oldest first, as the feed has them. */
export function EventsPage() {
  const client = useClient();
  const [after, setAfter] = useState<string>();
  const [visit, setVisit] = useState(0);
  const loaded = useLoaded(() => client.listEvents({ after, limit: ON_A_PAGE }), [after, visit]);
  return (
    <>
      <Heading title="Events" />
      <Show loaded={loaded}>
        {({ events, more }) => (
          <>
            {events.length === 0 ? (
              <p>{after === undefined ? 'No events.' : 'No newer events.'}</p>
            ) : (
              <EventList events={events} />
            )}
            <p class="pager">
              {after !== undefined && (
                <button type="button" onClick={() => setAfter(undefined)}>
                  Oldest events
                </button>
              )}
              {more ? (
                <button type="button" onClick={() => setAfter(events.at(-1)?.id)}>
                  Newer events
                </button>
              ) : (
                <button type="button" onClick={() => setVisit(visit + 1)}>
                  Look for new events
                </button>
              )}
            </p>
          </>
        )}
      </Show>
    </>
  );
}

function EventList({ events }: { readonly events: readonly SegueEvent[] }) {
  return (
    <ol class="cards" aria-label="Events">
      {events.map(({ id, type, timestamp, sequence, data: { projectId, ...data } }) => (
        <li key={id}>
          <span class="name">{type}</span>
          <span>
            <a href={`#/projects/${projectId}`}>Project {projectId}</a>
            <span class="quiet">
              {' '}
              · Event {sequence} of the project · {date(timestamp)}
            </span>
          </span>
          <span class="quiet">
            {Object.entries(data)
              .map(([name, value]) => `${name}: ${value}`)
              .join(' · ')}
          </span>
        </li>
      ))}
    </ol>
  );
}
