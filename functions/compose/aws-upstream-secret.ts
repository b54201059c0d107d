import * as z from 'zod/mini';
import type { ReadSecret } from '../../lib/credentials/cached-secret.ts';
import { secretReader } from './aws-secrets.ts';

/** Where the company id and API key at the service behind Segue are kept. */
export function upstreamSecret(): ReadSecret {
  const { SEGUE_UPSTREAM_SECRET } = z.object({ SEGUE_UPSTREAM_SECRET: z.string() }).parse(process.env);
  const read = secretReader();
  return () => read(SEGUE_UPSTREAM_SECRET);
}
