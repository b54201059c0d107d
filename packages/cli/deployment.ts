import type { BasicCredentials } from '../../lib/contract/basic-credentials.ts';
import { SEGUE } from '../../lib/contract/segue-command.ts';
import type { Rate } from '../../lib/contract/settings.ts';
import type { Companies } from '../../lib/credentials/companies.ts';
import type { DailyLimits } from '../../lib/credentials/company-record.ts';
import type { EventSecrets } from '../../lib/credentials/event-secrets.ts';
import type { DestinationAdmin } from '../../lib/destinations/destination-admin.ts';
import type { ResultReads } from '../../lib/destinations/input.ts';
import type { Results } from '../../lib/destinations/results.ts';
import type { FailedEvents } from '../../lib/events/deliveries.ts';
import type { Planning } from '../../lib/service/command.ts';
import type { ListedStore } from '../../lib/storage/port.ts';
import type { Audited } from '../../lib/upstream/audit.ts';
import type { DeadLetters } from '../../lib/webhooks/dead-letters.ts';
import type { SourceAdmin } from '../../lib/webhooks/source-admin.ts';
import type { ReportTarget } from './bulk/report.ts';
import type { CliIo } from './io.ts';
import type { ProgressLine } from './progress-line.ts';
import type { Restored, RestoreRequest } from './restore/restore.ts';
import type { Entries, Table } from './table.ts';
import type { LocalWorkflow } from './workflow/execute.ts';

/** What a company has used today (UTC). Only what has a limit is counted. */
export type DailyUse = Readonly<Record<keyof DailyLimits, number>>;

/** A Segue that the commands administer: on this machine, or in a CloudFormation stack. */
export interface Deployment {
  readonly companies: Companies;
  /** Prepares a company for its first key. Repeating the call changes nothing. */
  prepareCompany(companyId: string): Promise<void>;
  /** The plans of the companies. @throws {CliError} on this machine, which has none */
  readonly plans: CompanyPlans;
  /** Returns what a company has used today of its limits of a day. */
  dailyUse(companyId: string): Promise<DailyUse>;
  /** Makes the automatic translations of a company go on that wait, because its limit of characters has changed. */
  wakeTranslation(companyId: string): Promise<void>;
  /** Returns whether a company exists. */
  isCompany(companyId: string): Promise<boolean>;
  /** Returns whether the `eventUrl` of a project may also be `http://127.0.0.1:<port>`, as at the last `npm start`. */
  allowsLoopbackEvents(): Promise<boolean>;
  readonly sources: SourceAdmin;
  /** Returns the URL to which a source's sender sends messages, and a line for the user if the URL may be wrong. */
  webhookUrl(name: string): { readonly url: string; readonly note?: string };
  readonly letters: DeadLetters;
  /** Returns the service, to ask what a put would do; `undefined` if the command does not know the upstream service. */
  planningService(): Promise<Planning | undefined>;
  readonly eventSecrets: EventSecrets;
  readonly failedEvents: FailedEvents;
  /** The destinations of results. @throws {CliError} if the deployment sends no results */
  readonly destinations: DestinationAdmin;
  /** The deliveries to destinations. @throws {CliError} if the deployment sends no results */
  readonly results: Results;
  /** Returns what a preview of results reads. @throws {CliError} if the deployment has no results */
  resultStores(): Promise<ResultStores>;
  /** Starts a rotation of the keys that sign tokens. @returns a sentence for the user that says what happens next */
  rotateSigningKeys(): Promise<string>;
  /**
   * Replaces all keys that sign tokens by a new one.
   * @throws {CliError} if a rotation interfered
   */
  dropSigningKeys(): Promise<void>;
  /**
   * Compares the projects at the upstream service with the projects that companies own.
   * @param upstreamUrl the base URL of the upstream service, if the deployment does not have it
   */
  audit(upstreamUrl: string | undefined): Promise<Audited>;
  /** Prepares a restored table for the stack. */
  restore(request: RestoreRequest): Promise<Restored>;
  /**
   * Makes a key that of the canary.
   * @throws {CliError} if the deployment has no canary
   */
  readonly canary: CanaryAdmin;
  /** Runs a manifest, and reports the result of each line. */
  bulk(request: BulkRequest): Promise<BulkResult>;
  /**
   * Returns the task functions of workflows.
   * @param upstreamUrl the base URL of the upstream service; without it, the tasks use the hosted service
   */
  workflow(upstreamUrl: string | undefined): Promise<LocalWorkflow>;
  close(): void;
}

/** The stores that a preview of results reads. */
export interface ResultStores {
  readonly store: ListedStore;
  readonly deliveries: ListedStore;
  readonly reads: ResultReads;
}

/** The plan of a company: how many requests it may send. */
export interface CompanyPlan extends Rate {
  /** Whether the company has the plan of all companies that have none of their own. */
  readonly isDefault: boolean;
}

/** The plans of companies. A company has the default plan, or one of its own. Repeating a call changes nothing. */
export interface CompanyPlans {
  /** Gives a company the default plan, unless it has a plan. */
  add(companyId: string): Promise<void>;
  /** Returns the plan of a company; `undefined` if it has none, so that its requests are refused. */
  read(companyId: string): Promise<CompanyPlan | undefined>;
  /** Gives a company a plan of its own, or changes that plan. */
  change(companyId: string, rate: Rate): Promise<CompanyPlan>;
  /** Gives a company the default plan again. */
  reset(companyId: string): Promise<CompanyPlan>;
}

/** Writes the key of a deployment's canary. */
export interface CanaryAdmin {
  /** Makes a key that of the canary, whose next run uses it. */
  useKey(key: BasicCredentials): Promise<void>;
}

/** The name of a CloudFormation stack, and which Segue in the stack to administer. */
export interface StackName {
  readonly stack: string;
  /** The construct id of the Segue. Required if the stack has several. */
  readonly gateway: string | undefined;
}

/** The input and output of a command, and access to the deployment that the command line names. */
export interface CliContext extends CliIo {
  /** Shows what the command is doing. */
  readonly progress: ProgressLine;
  /** Prints a result: the text, or with `--json` the value. */
  print(value: unknown, text: string): void;
  /** Prints a result as indented JSON, or with `--json` on one line. */
  printJson(value: unknown): void;
  /** Prints a list: a table, or with `--json` one JSON object for each entry, which `toJson` may change. */
  printList<T>(entries: Entries<T>, table: Table<T>, toJson?: (entry: T) => unknown): Promise<void>;
  /** Returns the stack that the command line names. `undefined` means this machine. */
  stackName(): StackName | undefined;
  /** Opens the deployment that the command line names, does the work, and closes the deployment. */
  withDeployment<T>(work: (deployment: Deployment) => Promise<T>, options?: DeploymentOptions): Promise<T>;
}

export interface DeploymentOptions {
  /** Whether the command may create the store of this machine. Other commands need one. Default: no. */
  readonly createsStore?: boolean;
}

/** The options of a bulk run. */
export interface BulkRequest {
  /** The path of the manifest file. */
  readonly path: string;
  /** The name of the run. */
  readonly run: string;
  /** Whether every line is only checked, and nothing is created. */
  readonly validateOnly: boolean;
  /** The company's id. Required on a stack. On this machine, the default is the company of the last `npm start`. */
  readonly companyId: string | undefined;
  /** How many lines run at once. Applies on this machine only. */
  readonly concurrency: number | undefined;
  /** How many percent of the lines may fail before the run stops. Applies on this machine only. */
  readonly toleratedPercent: number | undefined;
  /** The base URL of the upstream service, if there is one. Applies on this machine only. */
  readonly upstream: string | undefined;
  readonly report: ReportTarget;
  /** Receives the refused lines of the manifest, byte for byte. */
  readonly writeRefused?: ((bytes: Uint8Array) => void) | undefined;
  /** Aborted when the user stops the run. No more lines are started then. */
  readonly stop: AbortSignal;
}

export type BulkEnd = 'all-done' | 'stopped' | 'too-many-failed';

/** The result of a bulk run, for the summary. */
export interface BulkResult {
  readonly end: BulkEnd;
  /** How many lines failed. */
  readonly failed: number;
  /** How many of the failed lines were refused. A corrected line may succeed. */
  readonly refused: number;
}

/** Formats the command line for another command on the same deployment. */
export function commandLine(stackName: StackName | undefined, args: readonly string[]): string {
  const stack = stackName ? ['--stack', stackName.stack] : [];
  const gateway = stackName?.gateway === undefined ? [] : ['--gateway', stackName.gateway];
  return [SEGUE, ...stack, ...gateway, ...args].join(' ');
}
