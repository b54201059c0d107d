import type { SourceReport } from '../client/administration.ts';
import { DeliveryRow } from './delivery-row.tsx';
import { Facts, whenGiven } from './facts.tsx';
import { PartnerPage } from './partner-pages.tsx';
import { receivingOf } from './partner-words.ts';
import { useAdministration } from './session.ts';
import { identityOf, messageTitle, SCHEME_SETTINGS, SCHEMES, secretIn, wordsFor } from './words.ts';

/** One webhook source, with its open and failed messages. */
export function SourcePage({ name }: { readonly name: string }) {
  const administration = useAdministration();
  return (
    <PartnerPage
      above={['#/sources', 'Webhook sources']}
      name={name}
      load={async () => ({
        partner: await administration.getSource(name),
        ...(await administration.listDeliveries(name)),
      })}
      describe={receivingOf}
      label="Messages"
      rows={(messages) =>
        messages.map((message) => (
          <DeliveryRow
            key={message.id}
            href={`#/sources/${name}/${message.id}`}
            title={messageTitle(message)}
            delivery={message}
            at={message.receivedAtUtc}
          >
            {message.changedSince && <span class="waits">Note: its project has changed since.</span>}
          </DeliveryRow>
        ))
      }
    >
      {(source) => <TechnicalDetails source={source} />}
    </PartnerPage>
  );
}

/** What the operator needs. */
function TechnicalDetails({ source }: { readonly source: SourceReport }) {
  const { name: scheme, ...settings } = source.scheme;
  const { fetch } = source;
  return (
    <>
      <Facts
        of={[
          ['Signature format', wordsFor(SCHEMES, scheme)],
          ...Object.entries(settings).map(([name, value]) => [wordsFor(SCHEME_SETTINGS, name), value] as const),
          ['Active secrets', source.liveSecrets],
          ['Secrets changed', whenGiven(source.rotatedAtUtc)],
          ['Duplicates recognised by', identityOf(source)],
          ['Entry to fetch', fetch && <code>{fetch.url}</code>],
          ['Secret to fetch', fetch && secretIn(fetch.hasSecret ? (fetch.header ?? 'authorization') : undefined)],
        ]}
      />
      <p>
        To send a message, use <code>segue source send {source.name}</code>.
      </p>
    </>
  );
}
