import { createHmac } from 'node:crypto';
import * as z from 'zod/mini';
import type { CheckedProject } from '../contract/project.ts';
import { fingerprintSteps } from '../idempotency/identity.ts';
import { comparedFields } from '../idempotency/requests/compared-fields.ts';
import { inTurns } from '../service/turn.ts';
import { recordOf } from '../storage/record.ts';

/**
 * The digest of the whole request that a project equals. It shows whether a put would change the project. The salt is
 * new for each creation, for the same reasons as that of `ContentDigests`.
 */
export const RequestDigest = recordOf(() => ({ salt: z.string(), digest: z.string() }));
export type RequestDigest = z.infer<typeof RequestDigest>;

/** Hashes a request without its start date, in turns. Requests with the same meaning have the same fingerprint. */
export function fingerprintOfRequest(project: CheckedProject): Promise<string> {
  return inTurns(fingerprintSteps(comparedFields(project)));
}

/** Makes the digest of a request from its fingerprint. @param salt a text that no other creation uses */
export function requestDigest(fingerprint: string, salt: string): RequestDigest {
  return { salt, digest: createHmac('sha256', salt).update(fingerprint).digest('base64url') };
}

/** Checks whether a project equals a request. @param kept absent if nothing is known about the project's content */
export function isEqualRequest(kept: RequestDigest | undefined, fingerprint: string): boolean {
  return kept !== undefined && requestDigest(fingerprint, kept.salt).digest === kept.digest;
}
