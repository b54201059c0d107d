import { decodeProtectedHeader } from 'jose';
import * as z from 'zod/mini';

/** The tokens of one sign-in or refresh. */
interface Session {
  readonly access: string;
  readonly refresh: string;
  readonly obtainedMs: number;
}

/** What a client has sessions for, all of which it uses by turns. */
export const PLACES = ['long', 'signed-in', 'refreshed'] as const;
export type Place = (typeof PLACES)[number];

const Pair = z.object({ AccessToken: z.string(), RefreshToken: z.string() });

/** Half of the life of an access token, after which a client renews a long session. */
const RENEWED_AFTER_MS = 900_000;

/** The sessions of a client. */
export class Sessions {
  readonly #sessions = new Map<Place, Session>();
  readonly #refreshing = new Set<Place>();
  /** The ids of the keys that signed an access token. */
  readonly signedBy = new Set<string | undefined>();
  readonly #now: () => number;

  /** @param now the clock by which tokens expire, in milliseconds since 1970 */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Keeps the tokens of an answer. */
  put(place: Place, answer: string): void {
    const { AccessToken: access, RefreshToken: refresh } = Pair.parse(JSON.parse(answer));
    this.#sessions.set(place, { access, refresh, obtainedMs: this.#now() });
    this.#refreshing.delete(place);
    this.signedBy.add(decodeProtectedHeader(access).kid);
  }

  /** The access token of one of the sessions. */
  access(turn: number): string {
    return this.#at(PLACES[turn % PLACES.length] ?? 'long').access;
  }

  /** A session whose refresh token nobody is using: the long one once it has to be renewed. */
  takeRefresh(): { readonly place: Place; readonly token: string } | undefined {
    const isOld = this.#now() - this.#at('long').obtainedMs > RENEWED_AFTER_MS;
    const place = isOld && !this.#refreshing.has('long') ? 'long' : 'refreshed';
    if (this.#refreshing.has(place)) return undefined;
    this.#refreshing.add(place);
    return { place, token: this.#at(place).refresh };
  }

  #at(place: Place): Session {
    const session = this.#sessions.get(place);
    if (!session) throw new RangeError('Nobody has signed in');
    return session;
  }
}
