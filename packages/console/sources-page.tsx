import { PartnersPage } from './partner-pages.tsx';
import { receivingOf } from './partner-words.ts';
import { useAdministration } from './session.ts';

/** The webhook sources of the company. */
export function SourcesPage() {
  const administration = useAdministration();
  return (
    <PartnersPage
      title="Webhook sources"
      page="#/sources"
      purpose="A webhook source lets a content system create and change projects."
      load={() => administration.listSources()}
      list={(name) => administration.listDeliveries(name)}
      describe={receivingOf}
    >
      <p>
        To add a webhook source, use <code>segue source add</code>. To change its mapping or its secrets, use{' '}
        <code>segue source change</code> and <code>segue source rotate</code>.
      </p>
    </PartnersPage>
  );
}
