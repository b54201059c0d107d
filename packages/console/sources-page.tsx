import { Empty } from './design/status.tsx';
import { ForOperators, When } from './facts.tsx';
import { useLoaded } from './load.ts';
import { Heading, Show } from './page.tsx';
import { useAdministration } from './session.ts';
import { scopesOf } from './words.ts';

/** The webhook sources of the company. */
export function SourcesPage() {
  const administration = useAdministration();
  const loaded = useLoaded(() => administration.listSources(), []);
  return (
    <>
      <Heading title="Webhook sources" />
      <Show loaded={loaded}>
        {(sources) =>
          sources.length === 0 ? (
            <Empty title="No webhook sources">
              <p>A webhook source lets a content system create and change projects.</p>
            </Empty>
          ) : (
            <ul class="cards" aria-label="Webhook sources">
              {sources.map(({ name, scopes, fetch, createdAtUtc }) => (
                <li key={name}>
                  <a class="name" href={`#/sources/${encodeURIComponent(name)}`}>
                    {name}
                  </a>
                  {fetch && <span>Fetches from {fetch.hosts.join(', ')}</span>}
                  <span class="quiet">
                    Messages may {scopesOf({ scopes })} · Created <When at={createdAtUtc} />
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Show>
      <ForOperators>
        <p>
          To add a webhook source, use <code>segue source add</code>. To change its mapping or its secrets, use{' '}
          <code>segue source change</code> and <code>segue source rotate</code>.
        </p>
      </ForOperators>
    </>
  );
}
