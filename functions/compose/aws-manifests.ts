import * as z from 'zod/mini';
import { s3Client } from '../../lib/storage/dynamodb/objects.ts';
import { manifestsInS3 } from '../../lib/workflow/bulk/manifests-in-s3.ts';

const { SEGUE_MANIFESTS } = z.object({ SEGUE_MANIFESTS: z.string() }).parse(process.env);

/** The manifests of bulk runs, which only AWS has: one machine reads its own files. */
export const manifests = manifestsInS3(SEGUE_MANIFESTS, s3Client());
