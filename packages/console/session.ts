import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { AdministrationClient } from '../client/administration.ts';
import { SegueClient } from '../client/index.ts';
import { storedSession, storeSession } from './stored-session.ts';

/** A signed-in company. The tab keeps its credentials until it closes, or until the user signs out. */
export interface Session {
  readonly companyId: string;
  readonly client: SegueClient;
  /** A client for the webhook sources and the destinations, if the gateway runs on this machine. No other gateway offers them. */
  readonly administration?: AdministrationClient | undefined;
}

const Current = createContext<Session | undefined>(undefined);
/** Gives the session to the pages inside. */
export const SessionProvider = Current.Provider;

/** Returns the signed-in company. @throws an error outside a `SessionProvider` */
export function useSession(): Session {
  const session = useContext(Current);
  if (!session) throw new Error('Nobody is signed in');
  return session;
}

/** Returns the client of the signed-in company. @throws an error outside a `SessionProvider` */
export function useClient(): SegueClient {
  return useSession().client;
}

/** Returns the client for the webhook sources and the destinations. @throws an error if the session has none */
export function useAdministration(): AdministrationClient {
  const { administration } = useSession();
  if (!administration) throw new Error('The gateway runs on another machine');
  return administration;
}

/** The console is at `/console`, below the base URL of the API. */
const API = new URL('.', location.href);

/** The page that describes the API. */
export const API_REFERENCE = new URL('docs', API).href;

const THIS_MACHINE = /^(localhost|127\.[\d.]+|\[::1\])$/;

/**
 * Checks credentials with a first request, and keeps them in the tab.
 * @throws {SegueError} if Segue rejects them; {TypeError} if the company id is invalid
 */
export async function signIn(companyId: string, apiKey: string): Promise<Session> {
  const session = openSession(companyId, apiKey);
  await session.client.listProjects({ limit: 1 });
  storeSession({ companyId, apiKey });
  return session;
}

/** Returns the session that the tab keeps. The next request finds out whether Segue still accepts it. */
export function restoreSession(): Session | undefined {
  const stored = storedSession();
  try {
    return stored && openSession(stored.companyId, stored.apiKey);
  } catch {
    return undefined; // Not the console has stored it.
  }
}

function openSession(companyId: string, apiKey: string): Session {
  const options = { baseUrl: API.origin + API.pathname, companyId, apiKey };
  const client = new SegueClient(options);
  const administration = THIS_MACHINE.test(API.hostname) ? new AdministrationClient(options) : undefined;
  return { companyId, client, administration };
}

/** Ends the session, because Segue refuses its key. Outside of a session, it does nothing. */
export const SessionEnd = createContext<() => void>(() => {});
