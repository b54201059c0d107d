import { Empty } from './design/status.tsx';
import { ForOperators } from './facts.tsx';
import { useLoaded } from './load.ts';
import { Heading, Show } from './page.tsx';
import { useAdministration } from './session.ts';
import { EVENTS, wordsFor } from './words.ts';

/** The destinations of the company. */
export function DestinationsPage() {
  const administration = useAdministration();
  const loaded = useLoaded(() => administration.listDestinations(), []);
  return (
    <>
      <Heading title="Destinations" />
      <Show loaded={loaded}>
        {(destinations) =>
          destinations.length === 0 ? (
            <Empty title="No destinations">
              <p>A destination takes translations to another system.</p>
            </Empty>
          ) : (
            <ul class="cards" aria-label="Destinations">
              {destinations.map(({ name, on, hosts }) => (
                <li key={name}>
                  <a class="name" href={`#/destinations/${encodeURIComponent(name)}`}>
                    {name}
                  </a>
                  <span>To {hosts.join(', ')}</span>
                  <span class="quiet">After {on.map((type) => wordsFor(EVENTS, type)).join(', ')}</span>
                </li>
              ))}
            </ul>
          )
        }
      </Show>
      <ForOperators>
        <p>
          To add a destination, use <code>segue destination add</code>. To change its mapping, use{' '}
          <code>segue destination change</code>.
        </p>
      </ForOperators>
    </>
  );
}
