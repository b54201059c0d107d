import type { ResultReport } from '../client/administration.ts';
import { DeliveryRow } from './delivery-row.tsx';
import { Facts, whenGiven } from './facts.tsx';
import { useProjectNames } from './names.ts';
import { PartnerPage } from './partner-pages.tsx';
import { sendingOf } from './partner-words.ts';
import { useAdministration } from './session.ts';
import { deliveredOf, EVENTS, reasonOf, secretIn, wordsFor } from './words.ts';

/** One destination, with its open and failed deliveries. */
export function DestinationPage({ name }: { readonly name: string }) {
  const administration = useAdministration();
  return (
    <PartnerPage
      above={['#/destinations', 'Destinations']}
      name={name}
      load={async () => ({
        partner: await administration.getDestination(name),
        ...(await administration.listResults(name)),
      })}
      describe={sendingOf}
      label="Deliveries"
      rows={(deliveries, { on }) => <Deliveries deliveries={deliveries} hasEvents={on.length > 1} />}
      links={
        <a class="button" href={`#/destinations/${name}/test`}>
          Test
        </a>
      }
    >
      {({ secretHeader, rotatedAtUtc }) => (
        <Facts
          of={[
            ['Secret', secretIn(secretHeader)],
            ['Secret changed', whenGiven(rotatedAtUtc)],
          ]}
        />
      )}
    </PartnerPage>
  );
}

interface DeliveriesProps {
  readonly deliveries: readonly ResultReport[];
  /** Whether they may be of several kinds of events. */
  readonly hasEvents: boolean;
}

function Deliveries({ deliveries, hasEvents }: DeliveriesProps) {
  const projectName = useProjectNames(deliveries.map(({ projectId }) => projectId));
  return (
    <>
      {deliveries.map((delivery) => {
        const { destination, id, type, projectId, languageCode, recordedAtUtc, failure } = delivery;
        return (
          <DeliveryRow
            key={id}
            href={`#/destinations/${destination}/deliveries/${id}`}
            title={deliveredOf(projectName(projectId) ?? `Project ${projectId}`, languageCode)}
            delivery={delivery}
            at={recordedAtUtc}
            fact={hasEvents ? wordsFor(EVENTS, type) : undefined}
          >
            {failure && <span>{reasonOf(failure)}</span>}
          </DeliveryRow>
        );
      })}
    </>
  );
}
