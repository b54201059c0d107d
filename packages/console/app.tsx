import type { JSX } from 'preact';
import { useCallback, useState } from 'preact/hooks';
import { pathIn, useFragment } from './address.ts';
import { CreatePage } from './create-page.tsx';
import { DeliveryPage } from './delivery-page.tsx';
import { DestinationPage } from './destination-page.tsx';
import { DestinationsPage } from './destinations-page.tsx';
import { countDrafts, forgetDrafts } from './drafts.ts';
import { EventsPage } from './events-page.tsx';
import { LimitsPage } from './limits-page.tsx';
import { Account, Menu } from './menu.tsx';
import { OperationPage, OperationsPage } from './operations-page.tsx';
import { ProjectPage } from './project.tsx';
import { ProjectsPage } from './projects.tsx';
import { ResultPage } from './result-page.tsx';
import { API_REFERENCE, restoreSession, type Session, SessionEnd, SessionProvider } from './session.ts';
import { ShortcutHelp } from './shortcut-help.tsx';
import { SignInPage } from './sign-in.tsx';
import { SourcePage } from './source-page.tsx';
import { SourcesPage } from './sources-page.tsx';
import { forgetSession } from './stored-session.ts';
import { TestPage } from './test-page.tsx';
import { ThemeSwitch } from './theme-switch.tsx';

const LINKS = [
  ['#/projects', 'Projects'],
  ['#/events', 'Events'],
] as const;
/** The pages of the administration API. */
const ADMINISTRATION_LINKS = [
  ['#/sources', 'Webhook sources'],
  ['#/destinations', 'Destinations'],
] as const;
const LAST_LINKS = [['#/limits', 'Limits']] as const;

/** The whole console. Its pages are in the fragment of the URL, which holds ids and filters. */
export function App() {
  const [session, setSession] = useState(restoreSession);
  const [isHelpOpen, setHelpOpen] = useState(false);
  const [endedCompany, setEndedCompany] = useState<string>();
  const page = pathIn(useFragment());
  const signIn = (next: Session) => {
    // Another company does not see what this one has not saved.
    if (next.companyId !== endedCompany) forgetDrafts();
    setEndedCompany(undefined);
    setSession(next);
  };
  // What the user has not saved stays: after the next sign-in, it can be saved.
  const end = useCallback(() => {
    forgetSession();
    setEndedCompany(session?.companyId);
    setSession(undefined);
  }, [session]);
  const signOut = () => {
    if (countDrafts() > 0 && !confirm('Sign out, and lose the changes that you have not saved?')) return;
    forgetDrafts();
    forgetSession();
    setSession(undefined);
    location.hash = '';
  };
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the page
      </button>
      <header class="header">
        <span class="brand">Segue console</span>
        {session ? (
          <Menu page={page}>
            <a class="button main only-in-menu" href="#/create">
              Create a project
            </a>
            <Links
              page={page === '#/create' ? '#/projects' : page}
              links={[...LINKS, ...(session.administration ? ADMINISTRATION_LINKS : []), ...LAST_LINKS]}
            />
            <Account companyId={session.companyId} page={page}>
              <a href="#/operations">Operations</a>
              <a href={API_REFERENCE}>API reference</a>
              <ThemeSwitch />
              <button type="button" class="keys" aria-haspopup="dialog" onClick={() => setHelpOpen(true)}>
                Shortcuts
              </button>
              <button type="button" onClick={signOut}>
                Sign out
              </button>
            </Account>
          </Menu>
        ) : (
          <div class="end">
            <ThemeSwitch />
          </div>
        )}
      </header>
      <main id="main" tabIndex={-1}>
        <Content page={page} session={session} isEnded={endedCompany !== undefined} onSignedIn={signIn} onEnd={end} />
      </main>
      {session && <ShortcutHelp isOpen={isHelpOpen} onChange={setHelpOpen} />}
    </>
  );
}

interface ContentProps {
  readonly page: string;
  readonly session: Session | undefined;
  /** Whether Segue refused the key of the last session. */
  readonly isEnded: boolean;
  readonly onSignedIn: (session: Session) => void;
  /** Segue refuses the key. */
  readonly onEnd: () => void;
}

function Content({ page, session, isEnded, onSignedIn, onEnd }: ContentProps) {
  if (page === '#/design') return <div ref={showDesign} />;
  if (!session) return <SignInPage isEnded={isEnded} onSignedIn={onSignedIn} />;
  return (
    <SessionProvider value={session}>
      <SessionEnd.Provider value={onEnd}>
        <Page key={page} path={page} pages={session.administration ? [...PAGES, ...ADMINISTRATION_PAGES] : PAGES} />
      </SessionEnd.Provider>
    </SessionProvider>
  );
}

/** Shows the page of all parts. Only those who work on the console open it, so it is a script of its own. */
function showDesign(element: Element | null): void {
  if (element) void import('./design/design-page.tsx').then(({ showDesignPage }) => showDesignPage(element));
}

interface LinksProps {
  readonly page: string;
  readonly links: readonly (readonly [fragment: string, name: string])[];
}

function Links({ page, links }: LinksProps) {
  return (
    <nav aria-label="Pages">
      {links.map(([fragment, name]) => (
        <a key={fragment} href={fragment} aria-current={page.startsWith(fragment) ? 'page' : undefined}>
          {name}
        </a>
      ))}
    </nav>
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
