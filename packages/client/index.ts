export { type Failure, type FailureType, type Fault, SegueError } from './error.ts';
export * from './hosted-types.ts';
export { SegueClient } from './segue-client.ts';
export type * from './types.ts';
