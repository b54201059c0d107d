export { hasDocumentedTypes } from './documented-project.ts';
export { type Failure, type FailureType, type Fault, SegueError } from './error.ts';
export { SegueClient } from './segue-client.ts';
export type * from './types.ts';
