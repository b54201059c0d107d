import { useState } from 'preact/hooks';
import type { DeliveryReport, SourceReport } from '../client/administration.ts';
import { Badge, Empty } from './design/status.tsx';
import { Facts, ForOperators, When, whenGiven } from './facts.tsx';
import { useLoaded } from './load.ts';
import { PageHead, Show, Trail } from './page.tsx';
import { useAdministration } from './session.ts';
import { date } from './values.ts';
import {
  identityOf,
  messageOutcome,
  SCHEME_SETTINGS,
  SCHEMES,
  STATE_TONES,
  STATES,
  scopesOf,
  titleOf,
  wordsFor,
} from './words.ts';

/** One webhook source, with its open and failed messages. */
export function SourcePage({ name }: { readonly name: string }) {
  const administration = useAdministration();
  const [visit, setVisit] = useState(0);
  const loaded = useLoaded(
    async () => ({ source: await administration.getSource(name), ...(await administration.listDeliveries(name)) }),
    [name, visit],
  );
  return (
    <>
      <Trail above={[['#/sources', 'Webhook sources']]} here={name} />
      <PageHead title={name}>
        <button type="button" onClick={() => setVisit(visit + 1)}>
          Refresh
        </button>
      </PageHead>
      <Show loaded={loaded}>
        {({ source, deliveries, more }) => (
          <>
            <SourceFacts source={source} />
            <h2>Messages</h2>
            {deliveries.length === 0 ? (
              <Empty title="No open or failed messages.">
                <p>Messages that succeeded are not listed.</p>
                <ForOperators>
                  <p>
                    To send a message, use <code>segue source send {name}</code>.
                  </p>
                </ForOperators>
              </Empty>
            ) : (
              <Deliveries deliveries={deliveries} />
            )}
            {more && <p>The source has more. The list shows the latest of each state.</p>}
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
      <Facts
        of={[
          ['Signature', wordsFor(SCHEMES, scheme)],
          ...Object.entries(settings).map(([name, value]) => [wordsFor(SCHEME_SETTINGS, name), value] as const),
          ['Live secrets', source.liveSecrets],
          ['Messages may', scopesOf(source)],
          ['A message is known by', identityOf(source)],
          ['Created', <When at={source.createdAtUtc} />],
          ['Secrets changed', whenGiven(source.rotatedAtUtc)],
        ]}
      />
      <details>
        <summary>Mapping</summary>
        <pre class="excerpt">{source.mapping}</pre>
      </details>
      <h2>Fetched entries</h2>
      {source.fetch ? (
        <Fetch {...source.fetch} />
      ) : (
        <p>The source fetches nothing: its messages have all that it needs.</p>
      )}
    </>
  );
}

/** What the source fetches from its content system before it maps a message. */
function Fetch({ url, hosts, header, hasSecret }: NonNullable<SourceReport['fetch']>) {
  return (
    <>
      <Facts
        of={[
          ['Fetches only from', hosts.join(', ')],
          ['Secret', hasSecret ? `In the header ${header ?? 'authorization'}` : 'None'],
        ]}
      />
      <details>
        <summary>Expression of the URL</summary>
        <pre class="excerpt">{url}</pre>
      </details>
    </>
  );
}

function Deliveries({ deliveries }: { readonly deliveries: readonly DeliveryReport[] }) {
  return (
    <ul class="cards" aria-label="Messages">
      {deliveries.map(({ source, id, state, problem, receivedAtUtc, attempts, nextAttemptAtUtc, changedSince }) => (
        <li key={id}>
          <span class="split">
            <a class="name" href={`#/sources/${encodeURIComponent(source)}/${encodeURIComponent(id)}`}>
              {messageOutcome({ state, problem })}
            </a>
            <Badge tone={STATE_TONES[state]}>{STATES[state]}</Badge>
          </span>
          {problem !== undefined && <span>{titleOf(problem)}</span>}
          {changedSince && <span class="waits">Note: its project has changed since.</span>}
          <span class="quiet">
            <When at={receivedAtUtc} /> · {attempts} {attempts === 1 ? 'attempt' : 'attempts'}
            {nextAttemptAtUtc !== undefined && ` · Next attempt ${date(nextAttemptAtUtc)}`}
          </span>
        </li>
      ))}
    </ul>
  );
}
