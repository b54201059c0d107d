export type { Failure, FailureType, Fault } from '../../lib/service/http-client/failure.ts';
export { SegueError } from './error.ts';
export * from './hosted-types.ts';
export { SegueClient } from './segue-client.ts';
export type * from './types.ts';
