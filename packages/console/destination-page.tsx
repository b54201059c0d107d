import { useState } from 'preact/hooks';
import type { DestinationReport, ResultReport } from '../client/administration.ts';
import { Badge, Empty } from './design/status.tsx';
import { Facts } from './facts.tsx';
import { useLoaded } from './load.ts';
import { PageHead, Show } from './page.tsx';
import { useAdministration } from './session.ts';
import { date } from './values.ts';
import { EVENTS, REASONS, STATE_TONES, STATES, wordsFor } from './words.ts';

/** One destination, with its open deliveries and dead letters. */
export function DestinationPage({ name }: { readonly name: string }) {
  const administration = useAdministration();
  const [visit, setVisit] = useState(0);
  const loaded = useLoaded(
    async () => ({
      destination: await administration.getDestination(name),
      ...(await administration.listResults(name)),
    }),
    [name, visit],
  );
  return (
    <>
      <PageHead title={name}>
        <a class="button" href={`#/destinations/${encodeURIComponent(name)}/test`}>
          Test the destination with a project
        </a>
        <button type="button" onClick={() => setVisit(visit + 1)}>
          Look again
        </button>
      </PageHead>
      <Show loaded={loaded}>
        {({ destination, deliveries, more }) => (
          <>
            <DestinationFacts destination={destination} />
            <h2>Deliveries</h2>
            {deliveries.length === 0 ? (
              <Empty title="No open deliveries and no dead letters.">
                <p>Deliveries that succeeded are not listed. To see requests, test the destination with a project.</p>
              </Empty>
            ) : (
              <Deliveries deliveries={deliveries} />
            )}
            {more && <p>The destination has more. The list shows the latest of each state.</p>}
          </>
        )}
      </Show>
    </>
  );
}

function DestinationFacts({ destination }: { readonly destination: DestinationReport }) {
  const { on, hosts, secretHeader, createdAtUtc, rotatedAtUtc, mapping } = destination;
  return (
    <>
      <Facts
        of={[
          ['Sends after', on.map((type) => wordsFor(EVENTS, type)).join(', ')],
          ['Sends only to', hosts.join(', ')],
          ['Secret', secretHeader === undefined ? 'None' : `In the header ${secretHeader}`],
          ['Created', date(createdAtUtc)],
          ['Secret changed', rotatedAtUtc === undefined ? undefined : date(rotatedAtUtc)],
        ]}
      />
      <details>
        <summary>Mapping</summary>
        <pre class="excerpt">{mapping}</pre>
      </details>
    </>
  );
}

function Deliveries({ deliveries }: { readonly deliveries: readonly ResultReport[] }) {
  return (
    <ul class="cards" aria-label="Deliveries">
      {deliveries.map(({ destination, id, state, type, projectId, languageCode, attempts, failure, ...times }) => (
        <li key={id}>
          <span class="split">
            <a
              class="name"
              href={`#/destinations/${encodeURIComponent(destination)}/deliveries/${encodeURIComponent(id)}`}
            >
              {id}
            </a>
            <Badge tone={STATE_TONES[state]}>{STATES[state]}</Badge>
          </span>
          {failure !== undefined && (
            <span>
              {wordsFor(REASONS, failure.reason)}
              {failure.status !== undefined && ` (${failure.status})`}
            </span>
          )}
          <span class="quiet">
            {wordsFor(EVENTS, type)} · Project {projectId}
            {languageCode !== undefined && ` · ${languageCode}`}
          </span>
          <span class="quiet">
            {date(times.recordedAtUtc)} · {attempts} {attempts === 1 ? 'attempt' : 'attempts'}
            {times.nextAttemptAtUtc !== undefined && ` · Next attempt ${date(times.nextAttemptAtUtc)}`}
          </span>
        </li>
      ))}
    </ul>
  );
}
