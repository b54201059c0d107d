import { PartnersPage } from './partner-pages.tsx';
import { sendingOf } from './partner-words.ts';
import { useAdministration } from './session.ts';

/** The destinations of the company. */
export function DestinationsPage() {
  const administration = useAdministration();
  return (
    <PartnersPage
      title="Destinations"
      page="#/destinations"
      purpose="A destination takes translations to another system."
      load={() => administration.listDestinations()}
      list={(name) => administration.listResults(name)}
      describe={sendingOf}
    >
      <p>
        To add a destination, use <code>segue destination add</code>. To change its mapping, use{' '}
        <code>segue destination change</code>.
      </p>
    </PartnersPage>
  );
}
