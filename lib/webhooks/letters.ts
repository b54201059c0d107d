import { Problem } from '../contract/problem.ts';
import type { ListedStore, Write } from '../storage/port.ts';
import { eachItem } from '../storage/port.ts';
import { dropping, type Kept, reopening } from './changes.ts';
import {
  type Dead,
  type DeliveryRef,
  LETTERS,
  messageKey,
  readMark,
  readMessage,
  readState,
  type State,
  stateKey,
} from './records.ts';

/** A delivery that came to nothing, and why. */
export type Letter = DeliveryRef & Dead;

/** Which letters are meant. */
export interface LetterFilter {
  readonly companyId?: string | undefined;
  readonly source?: string | undefined;
}

/** The deliveries that came to nothing. */
export interface Letters {
  /** The state of any delivery; `undefined` if none of the id is known. */
  delivery(ref: DeliveryRef): Promise<State | undefined>;
  /** The last first. */
  list(filter: LetterFilter): AsyncGenerator<Letter>;
  /** @returns the message; `undefined` where it is there no more */
  message(ref: DeliveryRef): Promise<ReturnType<typeof readMessage> | undefined>;
  /** Lets a letter be worked on again, as if it had just come. @returns whether its message was there still */
  redrive(letter: Letter): Promise<boolean>;
  /** Erases a letter's message; its id stays known. */
  drop(letter: Letter): Promise<void>;
}

export function lettersIn(store: ListedStore, now: () => number): Letters {
  /** A letter as it is now; `undefined` where it is none any more. */
  async function kept(ref: DeliveryRef): Promise<Kept<Dead> | undefined> {
    const item = await store.read(stateKey(ref));
    if (!item || (item.expiresAtMs ?? 0) <= now()) return undefined;
    const state = readState(item.data);
    return state.kind === 'dead' ? { ref, state, version: item.version } : undefined;
  }

  async function messageItem(ref: DeliveryRef) {
    const item = await store.read(messageKey(ref));
    return item && (item.expiresAtMs ?? 0) > now() ? item : undefined;
  }

  /** @throws {Problem} `unavailable` where somebody else changed it meanwhile */
  async function change(writes: readonly Write[]): Promise<void> {
    if ((await store.commit({ writes })).ok) return;
    throw new Problem('unavailable', { detail: 'Somebody else is at this dead letter: look at it again.' });
  }

  return {
    async delivery(ref) {
      const item = await store.read(stateKey(ref));
      return item && (item.expiresAtMs ?? Number.POSITIVE_INFINITY) > now() ? readState(item.data) : undefined;
    },
    async *list({ companyId, source }) {
      for await (const { sort } of eachItem(store, LETTERS, '')) {
        const { source: own, id } = readMark(sort);
        if (source !== undefined && own !== source) continue;
        const found = await kept({ source: own, id });
        if (!found || (companyId !== undefined && found.state.companyId !== companyId)) continue;
        yield { ...found.ref, ...found.state };
      }
    },
    async message(ref) {
      const item = await messageItem(ref);
      return item && readMessage(item.data);
    },
    async redrive({ source, id }) {
      const found = await kept({ source, id });
      const message = await messageItem({ source, id });
      if (!found || !message) return false;
      await change(reopening(found, message.version, now()));
      return true;
    },
    async drop({ source, id }) {
      const found = await kept({ source, id });
      if (found) await change(dropping(found, (await store.read(messageKey(found.ref)))?.version, now()));
    },
  };
}
