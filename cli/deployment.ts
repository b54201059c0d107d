import type { Companies } from '../lib/credentials/companies.ts';
import type { Audited } from '../lib/upstream/audit.ts';
import type { DeadLetters } from '../lib/webhooks/dead-letters.ts';
import type { SourceAdmin } from '../lib/webhooks/source-admin.ts';
import type { ReportTarget } from './bulk/report.ts';
import type { CliIo } from './io.ts';

/** A Segue that commands administer: on this machine, or in a stack. */
export interface Deployment {
  readonly companies: Companies;
  /** Prepares a company for its first key. Repeating it changes nothing. */
  prepareCompany(companyId: string): Promise<void>;
  readonly sources: SourceAdmin;
  /** The URL that a source's messages are sent to. */
  webhookUrl(name: string): string;
  readonly letters: DeadLetters;
  /** Starts a rotation of the keys that sign tokens. @returns what happens next, for the user */
  rotateSigningKeys(): Promise<string>;
  /**
   * Compares the projects at the upstream service with those that companies own.
   * @param upstreamUrl the service's base URL, if the deployment does not have it
   */
  audit(upstreamUrl: string | undefined): Promise<Audited>;
  /** Runs a manifest. */
  bulk(request: BulkRequest): Promise<BulkResult>;
  close(): void;
}

/** One Segue of a CloudFormation stack. */
export interface StackName {
  readonly stack: string;
  /** The id of its construct; needed if the stack has several. */
  readonly gateway: string | undefined;
}

/** The input of all commands. */
export interface CliContext extends CliIo {
  /** The stack that the command line names; `undefined` means this machine. */
  stackName(): StackName | undefined;
  /** Opens the deployment that the command line names, and closes it after the work. */
  withDeployment<T>(work: (deployment: Deployment) => Promise<T>): Promise<T>;
}

/** The options of a bulk run. */
export interface BulkRequest {
  /** The path of the manifest. */
  readonly path: string;
  /** The run's name. */
  readonly run: string;
  /** Checks every line and creates nothing. */
  readonly validateOnly: boolean;
  /** Needed on a stack. On this machine the default is the company that `npm start` last ran as. */
  readonly companyId: string | undefined;
  /** On this machine: how many lines run at once. */
  readonly concurrency: number | undefined;
  /** On this machine: stops the run once more than this share of the lines has failed. */
  readonly toleratedPercent: number | undefined;
  /** On this machine: the base URL of the upstream service, if any. */
  readonly upstream: string | undefined;
  readonly report: ReportTarget;
  /** Receives the refused lines, byte for byte. */
  readonly writeRefused?: ((bytes: Uint8Array) => void) | undefined;
  /** Starts no more lines once it is aborted. */
  readonly stop: AbortSignal;
}

export type BulkEnd = 'all-done' | 'stopped' | 'too-many-failed';

/** The result of a bulk run. */
export interface BulkResult {
  readonly end: BulkEnd;
  /** How many lines failed. */
  readonly failed: number;
  /** How many of these were refused. */
  readonly refused: number;
}

/** The command line that runs a command on the same deployment. */
export function commandLine(stackName: StackName | undefined, args: readonly string[]): string {
  const stack = stackName ? ['--stack', stackName.stack] : [];
  const gateway = stackName?.gateway === undefined ? [] : ['--gateway', stackName.gateway];
  return ['npm run segue --', ...stack, ...gateway, ...args].join(' ');
}
