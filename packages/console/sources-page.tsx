import { Empty } from './design/status.tsx';
import { useLoaded } from './load.ts';
import { Heading, Show } from './page.tsx';
import { useAdministration } from './session.ts';
import { date } from './values.ts';
import { SCHEMES, scopesOf, wordsFor } from './words.ts';

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
              <p>
                A webhook source lets a content system create and change projects. The operator adds one with{' '}
                <code>segue source add</code>.
              </p>
            </Empty>
          ) : (
            <ul class="cards" aria-label="Webhook sources">
              {sources.map(({ name, scheme, scopes, fetch, createdAtUtc }) => (
                <li key={name}>
                  <a class="name" href={`#/sources/${encodeURIComponent(name)}`}>
                    {name}
                  </a>
                  <span>
                    Signature: {wordsFor(SCHEMES, scheme.name)}
                    {fetch && ` · Fetches from ${fetch.hosts.join(', ')}`}
                  </span>
                  <span class="quiet">
                    Messages may {scopesOf({ scopes })} · Created {date(createdAtUtc)}
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Show>
    </>
  );
}
