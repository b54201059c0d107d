import type { ReadObject } from '../../lib/workflow/project-reference.ts';
import { once } from './once.ts';

/** The bucket's client is loaded with the first project by reference: it would double a cold start. */
const reader = once(async (): Promise<ReadObject> => {
  const [{ objectsInS3 }, { s3Client }] = await Promise.all([
    import('../../lib/workflow/projects-in-s3.ts'),
    import('../../lib/storage/dynamodb/objects.ts'),
  ]);
  return objectsInS3(s3Client());
});

/** Objects of the buckets that the function's role may read. */
export const readObject: ReadObject = async (place, deadline) => (await reader())(place, deadline);
