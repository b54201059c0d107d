import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { DeliveryKind } from '../client/administration.ts';
import { Badge, Empty } from './design/status.tsx';
import { ForOperators, When } from './facts.tsx';
import { useLoaded } from './load.ts';
import { Heading, PageHead, Show, Trail } from './page.tsx';

/*
 * The pages of webhook sources are like those of destinations. Both are partners here: other systems with which Segue
 * exchanges messages.
 */

interface Partner {
  readonly name: string;
  readonly mapping: string;
  readonly createdAtUtc: string;
}

/** The open and failed deliveries of a partner. */
interface Listed<D> {
  readonly deliveries: readonly D[];
  /** Whether there are more. */
  readonly more: boolean;
}

interface PartnersProps<P> {
  readonly title: string;
  /** The fragment of the page. */
  readonly page: string;
  /** What a partner is for. */
  readonly purpose: string;
  readonly load: () => Promise<readonly P[]>;
  readonly list: (name: string) => Promise<Listed<{ readonly state: DeliveryKind }>>;
  /** Says what a partner does. */
  readonly describe: (partner: P) => string;
  /** What the operator can do. */
  readonly children: ComponentChildren;
}

/** The list of partners. */
export function PartnersPage<P extends Partner>(props: PartnersProps<P>) {
  const { title, page, purpose, load, list, describe, children } = props;
  const loaded = useLoaded(load, []);
  return (
    <>
      <Heading title={title} />
      <Show loaded={loaded}>
        {(partners) =>
          partners.length === 0 ? (
            <Empty title={`No ${title.toLowerCase()}`}>
              <p>{purpose}</p>
            </Empty>
          ) : (
            <ul class="cards" aria-label={title}>
              {partners.map((partner, index) => (
                <li key={partner.name}>
                  <span class="split">
                    <a class="name opens-row" href={`${page}/${partner.name}`}>
                      {partner.name}
                    </a>
                    {index < COUNTED && <Failures list={() => list(partner.name)} />}
                  </span>
                  <span class="quiet">{describe(partner)}</span>
                </li>
              ))}
            </ul>
          )
        }
      </Show>
      <ForOperators>{children}</ForOperators>
    </>
  );
}

/** For how many rows of a list the console counts the failures. Each takes a request. */
const COUNTED = 10;

interface FailuresProps {
  readonly list: () => Promise<Listed<{ readonly state: DeliveryKind }>>;
}

/** How many deliveries failed; if none did, how many are open. It is shown as soon as it is known. */
function Failures({ list }: FailuresProps) {
  const loaded = useLoaded(list, []);
  if (loaded.state !== 'ready') return null;
  const { deliveries, more } = loaded.value;
  const failed = deliveries.filter(({ state }) => state === 'dead').length;
  if (deliveries.length === 0) return <Badge tone="ok">No failures</Badge>;
  return (
    <Badge tone={failed > 0 ? 'fault' : 'info'}>
      {failed || deliveries.length}
      {more && '+'} {failed > 0 ? 'failed' : 'open'}
    </Badge>
  );
}

interface PartnerProps<P, D> {
  /** The page with the list of partners: its fragment, and its title. */
  readonly above: readonly [fragment: string, title: string];
  readonly name: string;
  readonly load: () => Promise<Listed<D> & { readonly partner: P }>;
  /** Says what the partner does. */
  readonly describe: (partner: P) => string;
  /** What its deliveries are called. */
  readonly label: string;
  /** A delivery as a row of the list. */
  readonly rows: (deliveries: readonly D[], partner: P) => ComponentChildren;
  /** Links of the page. */
  readonly links?: ComponentChildren;
  /** What the operator needs. */
  readonly children: (partner: P) => ComponentChildren;
}

/** One partner: what it does, its open and failed deliveries, and its mapping. */
export function PartnerPage<P extends Partner, D>(props: PartnerProps<P, D>) {
  const { above, name, load, describe, label, rows, links, children } = props;
  const [visit, setVisit] = useState(0);
  const loaded = useLoaded(load, [visit]);
  return (
    <>
      <Trail above={[above]} here={name} />
      <PageHead title={name}>
        {links}
        <button type="button" onClick={() => setVisit(visit + 1)}>
          Refresh
        </button>
      </PageHead>
      <Show loaded={loaded}>
        {({ partner, deliveries, more }) => (
          <>
            <p>{describe(partner)}</p>
            <h2>{label}</h2>
            {deliveries.length === 0 ? (
              <Empty title={`No open or failed ${label.toLowerCase()}.`}>
                <p>{label} that succeeded are not listed.</p>
              </Empty>
            ) : (
              <ul class="cards" aria-label={label}>
                {rows(deliveries, partner)}
              </ul>
            )}
            {more && <p>There are more. The list shows the latest of each state.</p>}
            <details>
              <summary>Mapping</summary>
              <pre class="excerpt">{partner.mapping}</pre>
            </details>
            <ForOperators title="Technical details">
              {children(partner)}
              <p>
                Created on <When at={partner.createdAtUtc} />.
              </p>
            </ForOperators>
          </>
        )}
      </Show>
    </>
  );
}
