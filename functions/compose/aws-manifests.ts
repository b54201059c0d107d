import * as z from 'zod/mini';
import { manifestsIn } from '../../lib/bulk/s3.ts';
import { s3Client } from '../../lib/storage/dynamodb/objects.ts';

const { SEGUE_MANIFESTS } = z.object({ SEGUE_MANIFESTS: z.string() }).parse(process.env);

/** The manifests of bulk runs, which only AWS has: one machine reads its own files. */
export const manifests = manifestsIn(SEGUE_MANIFESTS, s3Client());
