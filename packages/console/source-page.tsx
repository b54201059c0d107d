import { useState } from 'preact/hooks';
import type { DeliveryKind, DeliveryReport, SourceReport } from '../client/administration.ts';
import { useLoaded } from './load.ts';
import { Heading, Show } from './page.tsx';
import { useAdministration } from './session.ts';
import { date } from './values.ts';

/** What the console calls the states of a delivery. */
export const STATES: Readonly<Record<DeliveryKind, string>> = {
  open: 'Open',
  done: 'Done',
  dead: 'Dead letter',
  dropped: 'Dropped',
};

/** One webhook source, with its open deliveries and dead letters. */
export function SourcePage({ name }: { readonly name: string }) {
  const administration = useAdministration();
  const [visit, setVisit] = useState(0);
  const loaded = useLoaded(
    async () => ({ source: await administration.getSource(name), ...(await administration.listDeliveries(name)) }),
    [name, visit],
  );
  return (
    <>
      <Heading title={name} />
      <Show loaded={loaded}>
        {({ source, deliveries, more }) => (
          <>
            <SourceFacts source={source} />
            <h2>Deliveries</h2>
            {deliveries.length === 0 ? (
              <p>No open deliveries and no dead letters.</p>
            ) : (
              <Deliveries deliveries={deliveries} />
            )}
            {more && <p>The source has more. The list shows the latest of each state.</p>}
            <button type="button" onClick={() => setVisit(visit + 1)}>
              Look again
            </button>
          </>
        )}
      </Show>
    </>
  );
}

function SourceFacts({ source }: { readonly source: SourceReport }) {
  const { name: scheme, ...settings } = source.scheme;
  return (
    <>
      <dl class="facts">
        <dt>Signature</dt>
        <dd>{[scheme, ...Object.entries(settings).map(([name, value]) => `${name}: ${value}`)].join(' · ')}</dd>
        <dt>Live secrets</dt>
        <dd>{source.liveSecrets}</dd>
        <dt>Messages may</dt>
        <dd>{(source.scopes ?? ['create', 'delete']).join(', ')}</dd>
        <dt>Created</dt>
        <dd>{date(source.createdAtUtc)}</dd>
        {source.rotatedAtUtc !== undefined && (
          <>
            <dt>Secrets changed</dt>
            <dd>{date(source.rotatedAtUtc)}</dd>
          </>
        )}
      </dl>
      <details>
        <summary>Mapping</summary>
        <pre class="excerpt">{source.mapping}</pre>
      </details>
    </>
  );
}

function Deliveries({ deliveries }: { readonly deliveries: readonly DeliveryReport[] }) {
  return (
    <ul class="cards" aria-label="Deliveries">
      {deliveries.map(({ source, id, state, problem, receivedAtUtc, attempts, nextAttemptAtUtc, changedSince }) => (
        <li key={id}>
          <a class="name" href={`#/sources/${encodeURIComponent(source)}/${encodeURIComponent(id)}`}>
            {id}
          </a>
          <span>
            {STATES[state]}
            {problem !== undefined && `: ${problem}`}
            {changedSince && ', and its project has changed since'}
          </span>
          <span class="quiet">
            Received {date(receivedAtUtc)} · {attempts} {attempts === 1 ? 'attempt' : 'attempts'}
            {nextAttemptAtUtc !== undefined && ` · Next attempt ${date(nextAttemptAtUtc)}`}
          </span>
        </li>
      ))}
    </ul>
  );
}
