import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { CreatePage } from './create-page.tsx';
import { DeliveryPage } from './delivery-page.tsx';
import { DestinationPage } from './destination-page.tsx';
import { DestinationsPage } from './destinations-page.tsx';
import { EventsPage } from './events-page.tsx';
import { LimitsPage } from './limits-page.tsx';
import { OperationPage, OperationsPage } from './operations-page.tsx';
import { ProjectPage } from './project.tsx';
import { ProjectsPage } from './projects.tsx';
import { ResultPage } from './result-page.tsx';
import { type Session, SessionProvider } from './session.ts';
import { SignInPage } from './sign-in.tsx';
import { SourcePage } from './source-page.tsx';
import { SourcesPage } from './sources-page.tsx';
import { TestPage } from './test-page.tsx';
import { ThemeSwitch } from './theme-switch.tsx';

const LINKS = [
  ['#/projects', 'Projects'],
  ['#/create', 'Create'],
  ['#/operations', 'Operations'],
  ['#/events', 'Events'],
  ['#/limits', 'Limits'],
] as const;
/** The pages of the administration API. */
const ADMINISTRATION_LINKS = [
  ['#/sources', 'Webhook sources'],
  ['#/destinations', 'Destinations'],
] as const;

/** The whole console. Its pages are in the fragment of the URL, which holds ids and nothing else. */
export function App() {
  const [session, setSession] = useState<Session>();
  const page = useFragment();
  const signOut = () => {
    setSession(undefined);
    location.hash = '';
  };
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the page
      </button>
      <header>
        <strong>Segue console</strong>
        {session && (
          <nav aria-label="Pages">
            {(session.administration ? [...LINKS, ...ADMINISTRATION_LINKS] : LINKS).map(([fragment, name]) => (
              <a key={fragment} href={fragment} aria-current={page.startsWith(fragment) ? 'page' : undefined}>
                {name}
              </a>
            ))}
          </nav>
        )}
        <span class="spacer" />
        {session && <span class="company">{session.companyId}</span>}
        {session && (
          <button type="button" onClick={signOut}>
            Sign out
          </button>
        )}
        <ThemeSwitch />
      </header>
      <main id="main" tabIndex={-1}>
        {session ? (
          <SessionProvider value={session}>
            <Page key={page} path={page} pages={session.administration ? [...PAGES, ...ADMINISTRATION_PAGES] : PAGES} />
          </SessionProvider>
        ) : (
          <SignInPage onSignedIn={setSession} />
        )}
      </main>
    </>
  );
}

type Pages = readonly (readonly [RegExp, (...parts: readonly string[]) => JSX.Element])[];

/** The pages by their fragments. An unknown fragment shows the projects. */
const PAGES: Pages = [
  [/^#\/projects$/, () => <ProjectsPage />],
  [/^#\/projects\/(\d{1,15})$/, (id) => <ProjectPage id={Number(id)} />],
  [/^#\/create$/, () => <CreatePage />],
  [/^#\/operations$/, () => <OperationsPage />],
  [/^#\/operations\/([\w-]{1,64})$/, (id = '') => <OperationPage id={id} />],
  [/^#\/events$/, () => <EventsPage />],
  [/^#\/limits$/, () => <LimitsPage />],
];

const ADMINISTRATION_PAGES: Pages = [
  [/^#\/sources$/, () => <SourcesPage />],
  [/^#\/sources\/([\w-]{1,64})$/, (name = '') => <SourcePage name={name} />],
  [/^#\/sources\/([\w-]{1,64})\/([\w-]{1,64})$/, (source = '', id = '') => <DeliveryPage source={source} id={id} />],
  [/^#\/destinations$/, () => <DestinationsPage />],
  [/^#\/destinations\/([\w-]{1,64})$/, (name = '') => <DestinationPage name={name} />],
  [/^#\/destinations\/([\w-]{1,64})\/test$/, (name = '') => <TestPage name={name} />],
  [
    /^#\/destinations\/([\w-]{1,64})\/deliveries\/([\w-]{1,64})$/,
    (destination = '', id = '') => <ResultPage destination={destination} id={id} />,
  ],
];

function Page({ path, pages }: { readonly path: string; readonly pages: Pages }) {
  for (const [pattern, page] of pages) {
    const found = pattern.exec(path);
    if (found) return page(...found.slice(1));
  }
  return <ProjectsPage />;
}

function useFragment(): string {
  const [fragment, setFragment] = useState(location.hash);
  useEffect(() => {
    const update = () => setFragment(location.hash);
    addEventListener('hashchange', update);
    return () => removeEventListener('hashchange', update);
  }, []);
  return fragment;
}
