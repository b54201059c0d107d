import * as z from 'zod/mini';
import { readSigningKeys, rotateSigningKeys } from './signing-keys.ts';

/** A secret of which one version is current, and another may be about to be. */
export interface RotatingSecret {
  readCurrent(): Promise<string>;
  /** What a version holds; `undefined` where there is none, or nothing in it yet. */
  readVersion(version: string): Promise<string | undefined>;
  /** Prepares a version. To prepare it again changes nothing. */
  writePending(version: string, text: string): Promise<void>;
  /** Makes a prepared version the current one. */
  promote(version: string): Promise<void>;
}

/** What Secrets Manager asks of a rotation: the same step may come any number of times. */
export const RotationEvent = z.object({
  Step: z.enum(['createSecret', 'setSecret', 'testSecret', 'finishSecret']),
  SecretId: z.string(),
  /** The version that is prepared. */
  ClientRequestToken: z.string(),
});
export type RotationEvent = z.infer<typeof RotationEvent>;

/** The steps may be repeated for a while before the set is current. */
const SIGNS_AFTER_MS = 3_600_000;

/**
 * One step of a rotation of the signing keys: the set with a key more takes the place of the set.
 * @param newKey a key that nobody else has
 */
export async function rotateSecret(
  { Step: step, ClientRequestToken: version }: RotationEvent,
  secret: RotatingSecret,
  newKey: () => { id: string; secret: string },
  nowMs: number,
): Promise<void> {
  if (step === 'createSecret' && (await secret.readVersion(version)) === undefined) {
    const rotated = rotateSigningKeys(JSON.parse(await secret.readCurrent()), newKey(), nowMs, SIGNS_AFTER_MS);
    await secret.writePending(version, JSON.stringify(rotated));
  }
  if (step === 'testSecret') {
    // A deployment asks for this step alone, of a version that may hold nothing: then what it can tell is of the current one.
    readSigningKeys(JSON.parse((await secret.readVersion(version)) ?? (await secret.readCurrent())));
  }
  if (step === 'finishSecret') {
    readSigningKeys(JSON.parse((await secret.readVersion(version)) ?? 'null'));
    await secret.promote(version);
  }
}
