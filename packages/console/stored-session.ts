/** What a tab keeps of a session, so that a reload does not end it. */
interface StoredSession {
  readonly companyId: string;
  readonly apiKey: string;
}

const NAME = 'segue-session';

/** Keeps the credentials of a session until the tab closes. If the browser refuses it, a reload signs out. */
export function storeSession({ companyId, apiKey }: StoredSession): void {
  try {
    sessionStorage.setItem(NAME, JSON.stringify([companyId, apiKey]));
  } catch {
    // The user does not allow the site to store anything.
  }
}

/** Returns the credentials that the tab keeps. */
export function storedSession(): StoredSession | undefined {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(NAME) ?? 'null');
    const [companyId, apiKey]: readonly unknown[] = Array.isArray(stored) ? stored : [];
    return typeof companyId === 'string' && typeof apiKey === 'string' ? { companyId, apiKey } : undefined;
  } catch {
    return undefined;
  }
}

/** Forgets the credentials. */
export function forgetSession(): void {
  try {
    sessionStorage.removeItem(NAME);
  } catch {
    // Then it has none.
  }
}
