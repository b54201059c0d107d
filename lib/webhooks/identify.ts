import { createHash } from 'node:crypto';
import type { MessageIdentityReport } from '../contract/administration.ts';
import type { MessageIdentity, ReceivedMessage } from '../signatures/scheme.ts';
import type { SignatureProof } from '../signatures/verify-message.ts';
import type { Recent } from './accept-unless-recent.ts';
import type { NamedSource } from './sources.ts';

/** For how many minutes an equal body is the same message, if neither the source nor its scheme knows more. */
const DEDUPE_MINUTES = 10;

/** A source, with what identifies a message by its scheme. */
type IdentifiedSource = Pick<NamedSource, 'name' | 'companyId' | 'messageId' | 'dedupeMinutes'> & {
  readonly identifiedBy: MessageIdentity;
};

/** What identifies a message. */
export interface Identified {
  /** The id of its delivery. A message that the sender repeats has the id of the first. */
  readonly id: string;
  /** If equal messages count as one only for some time: what equal messages have in common. Then `id` is new. */
  readonly recent?: Recent;
}

/**
 * Says what identifies a verified message: the id at the place that the source names, the id that the sender signs, or
 * the body, perhaps with the signed time, or only for some time. A message without an id at its place is identified as
 * if the source named no place.
 */
export async function identify(
  source: IdentifiedSource,
  { messageId, signedAtMs }: SignatureProof,
  message: Pick<ReceivedMessage, 'headerValues' | 'body'>,
  nowMs: number,
): Promise<Identified> {
  const { body } = message;
  const id = (await namedId(source.messageId, message)) ?? messageId;
  if (id !== undefined) return { id: hashOf([source.companyId, source.name, id]) };
  const { identifiedBy } = source;
  const minutes = minutesOf(source);
  const head = [source.companyId, source.name, null];
  if (minutes !== undefined)
    return { id: hashOf([...head, 'at', nowMs], body), recent: { key: hashOf(head, body), forMs: minutes * 60_000 } };
  return { id: hashOf(identifiedBy === 'body-and-time' ? [...head, signedAtMs ?? null] : head, body) };
}

/** For how many minutes an equal body is the same message; `undefined` if it is so for ever, or something else decides. */
function minutesOf({ dedupeMinutes, identifiedBy }: Omit<IdentifiedSource, 'name' | 'companyId'>): number | undefined {
  return dedupeMinutes ?? (identifiedBy === 'body-for-minutes' ? DEDUPE_MINUTES : undefined);
}

/** Says what makes two messages the same one, as `identify` decides it without an id at a place. */
export function identityOf(source: Omit<IdentifiedSource, 'name' | 'companyId'>): MessageIdentityReport {
  const minutes = minutesOf(source);
  if (source.identifiedBy === 'id' || minutes === undefined) return { by: source.identifiedBy };
  return { by: 'body-for-minutes', minutes };
}

async function namedId(
  place: string | undefined,
  message: Pick<ReceivedMessage, 'headerValues' | 'body'>,
): Promise<string | undefined> {
  return place === undefined ? undefined : (await import('./message-id.ts')).messageIdOf(place, message);
}

function hashOf(head: readonly (string | number | null)[], body?: Uint8Array): string {
  // The JSON has no line break, so the first line break ends it: no id and body can give the same hash input.
  const hash = createHash('sha256').update(`${JSON.stringify(head)}\n`);
  const id = (body === undefined ? hash : hash.update(body)).digest('base64url');
  // A command would take an id with a hyphen at its start for an option.
  return id.replace(/^-/, '_');
}
