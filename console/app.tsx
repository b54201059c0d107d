import { useEffect, useState } from 'preact/hooks';
import { ProjectPage } from './project.tsx';
import { ProjectsPage } from './projects.tsx';
import { type Session, SessionProvider } from './session.ts';
import { SignInPage } from './sign-in.tsx';
import { ThemeSwitch } from './theme-switch.tsx';

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
            <a href="#/projects">Projects</a>
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
            <Page key={page} path={page} />
          </SessionProvider>
        ) : (
          <SignInPage onSignedIn={setSession} />
        )}
      </main>
    </>
  );
}

function Page({ path }: { readonly path: string }) {
  const [, id] = /^#\/projects\/(\d{1,15})$/.exec(path) ?? [];
  return id === undefined ? <ProjectsPage /> : <ProjectPage id={Number(id)} />;
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
