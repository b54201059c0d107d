import { useState } from 'preact/hooks';
import type { DestinationReport, ResultReport } from '../client/administration.ts';
import { Badge, Empty } from './design/status.tsx';
import { Facts, When, whenGiven } from './facts.tsx';
import { useLoaded } from './load.ts';
import { useProjectNames } from './names.ts';
import { PageHead, Show, Trail } from './page.tsx';
import { useAdministration } from './session.ts';
import { date, languageName } from './values.ts';
import { EVENTS, REASONS, RESULT_OUTCOMES, STATE_TONES, STATES, wordsFor } from './words.ts';

/** One destination, with its open and failed deliveries. */
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
      <Trail above={[['#/destinations', 'Destinations']]} here={name} />
      <PageHead title={name}>
        <a class="button" href={`#/destinations/${encodeURIComponent(name)}/test`}>
          Test the destination with a project
        </a>
        <button type="button" onClick={() => setVisit(visit + 1)}>
          Refresh
        </button>
      </PageHead>
      <Show loaded={loaded}>
        {({ destination, deliveries, more }) => (
          <>
            <DestinationFacts destination={destination} />
            <h2>Deliveries</h2>
            {deliveries.length === 0 ? (
              <Empty title="No open or failed deliveries.">
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
          ['Created', <When at={createdAtUtc} />],
          ['Secret changed', whenGiven(rotatedAtUtc)],
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
  const projectName = useProjectNames(deliveries.map(({ projectId }) => projectId));
  return (
    <ul class="cards" aria-label="Deliveries">
      {deliveries.map(({ destination, id, state, type, projectId, languageCode, attempts, failure, ...times }) => (
        <li key={id}>
          <span class="split">
            <a
              class="name"
              href={`#/destinations/${encodeURIComponent(destination)}/deliveries/${encodeURIComponent(id)}`}
            >
              {RESULT_OUTCOMES[state]}
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
            <When at={times.recordedAtUtc} /> · {wordsFor(EVENTS, type)} ·{' '}
            <bdi>{projectName(projectId) ?? `Project ${projectId}`}</bdi>
            {languageCode !== undefined && ` · ${languageName(languageCode)}`} · {attempts}{' '}
            {attempts === 1 ? 'attempt' : 'attempts'}
            {times.nextAttemptAtUtc !== undefined && ` · Next attempt ${date(times.nextAttemptAtUtc)}`}
          </span>
        </li>
      ))}
    </ul>
  );
}
