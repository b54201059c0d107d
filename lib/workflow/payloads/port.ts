import type { Deadline } from '../../service/deadline.ts';

/** Where an object is. */
export interface ObjectPlace {
  readonly bucket: string;
  readonly key: string;
  /** The latest unless given. */
  readonly versionId?: string | undefined;
}

/**
 * Reads an object whole, of no more bytes than a body may have.
 * @throws {Problem} `invalid-parameter` where there is none that may be read; `too-large` before it is read; `unavailable`
 */
export type ReadObject = (place: ObjectPlace, deadline: Deadline) => Promise<Uint8Array>;
