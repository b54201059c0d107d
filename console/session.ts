import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { SegueClient } from '../lib/client/index.ts';

/** A signed-in company. It exists in memory only: a reload of the page ends it. */
export interface Session {
  readonly companyId: string;
  readonly client: SegueClient;
}

const Current = createContext<Session | undefined>(undefined);
/** Gives the session to the pages inside. */
export const SessionProvider = Current.Provider;

/** Returns the client of the signed-in company. @throws an error outside a `SessionProvider` */
export function useClient(): SegueClient {
  const session = useContext(Current);
  if (!session) throw new Error('Nobody is signed in');
  return session.client;
}

/** The console is at `/console`, below the base URL of the API. */
const API = new URL('.', location.href);

/**
 * Checks credentials with a first request.
 * @throws {SegueError} if Segue rejects them; {TypeError} if the company id is invalid
 */
export async function signIn(companyId: string, apiKey: string): Promise<Session> {
  const client = new SegueClient({ baseUrl: API.origin + API.pathname, companyId, apiKey });
  await client.listProjects({ limit: 1 });
  return { companyId, client };
}
