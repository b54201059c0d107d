import { SWITCHES } from '../../lib/contract/switches.ts';

/**
 * The project services that can handle requests: `hosted` is Segue's own, `upstream` is another service at a base URL.
 */
export const SERVICES = ['hosted', 'upstream'] as const;
export type ServiceName = (typeof SERVICES)[number];

/** An action of DynamoDB. A transaction needs the permission for each action in it. */
export type TableAction =
  | 'BatchGetItem'
  | 'ConditionCheckItem'
  | 'DeleteItem'
  | 'GetItem'
  | 'PutItem'
  | 'Query'
  | 'UpdateItem';
/**
 * The access of a function to the credentials table.
 * - `authenticate`: reads companies, keys and tokens, and writes the last use of keys.
 * - `issueTokens`: reads the same, and writes tokens.
 * - `checkGuards`: checks in a transaction that a key or company is still active.
 * - `readCompany`: reads whether a company exists and is active, and its limits of a day.
 * - `listCompanies`: reads the ids of all companies.
 */
export type CredentialsAccess = 'authenticate' | 'issueTokens' | 'checkGuards' | 'readCompany' | 'listCompanies';
/** The access of a function to the payload bucket. `sweep` allows only listing and deleting payloads. */
export type PayloadAccess = 'read' | 'write' | 'sweep';
export type ManifestAccess = 'read' | 'writeIndex';
/** An option of the gateway that functions receive as an environment variable. */
export type FunctionSetting =
  | 'destinations'
  | 'rate'
  | 'recoveryDays'
  | 'securityContact'
  | 'startToleranceSeconds'
  | 'switchedOff'
  | 'translationCharactersPerDay';

/**
 * The permissions of a function's role and the settings that the function receives. Every role may also write the
 * log of its function.
 */
export interface FunctionAccess {
  readonly table?: readonly TableAction[];
  readonly credentials?: readonly CredentialsAccess[];
  readonly deliveriesTable?: readonly TableAction[];
  readonly payloads?: PayloadAccess;
  readonly manifests?: ManifestAccess;
  /** Whether the function may read the buckets of the option `projectsFrom`, from which workflows create projects. */
  readonly projectsFrom?: true;
  readonly signingSecret?: 'read' | 'rotate';
  readonly upstreamSecret?: true;
  readonly webhookSecrets?: true;
  /** Whether the function may read the secrets with which webhook sources fetch entries. */
  readonly fetchSecrets?: true;
  /** The access to the secrets that sign events. */
  readonly eventSecrets?: 'read' | 'write';
  /** Whether the function reads the secrets of destinations. */
  readonly destinationSecrets?: true;
  readonly eventBus?: true;
  /** Whether the function reads the key of the canary. */
  readonly canarySecret?: true;
  /** Whether the function may put jobs on the queue. Only the hosted service has jobs. */
  readonly jobQueue?: true;
  /** Whether the function reports task tokens to Step Functions. */
  readonly taskTokens?: true;
  /** Whether the function sends e-mails with Amazon SES. */
  readonly mail?: true;
  /**
   * The access to the translation engine: Amazon Translate, or that of the option `translation`. `languages` allows only
   * to ask which languages it translates.
   */
  readonly translation?: 'translate' | 'languages';
  readonly settings?: readonly FunctionSetting[];
  /** The further access that the function has only if the gateway has an option. */
  readonly with?: { readonly [Option in FunctionOption]?: FunctionAccess };
}

/**
 * The logs that functions share, by who notices a function that ends without an answer. `Http`: API Gateway answers, and
 * counts the answer. `Tasks`: Step Functions sees the failure. `Background`: only the log has it.
 */
export const FUNCTION_LOGS = ['Http', 'Tasks', 'Background'] as const;
export type FunctionLog = (typeof FUNCTION_LOGS)[number];

/** The options of a gateway on which a function can depend. */
export const FUNCTION_OPTIONS = ['mail', 'destinations', 'console', 'agents', 'canary', 'waits', ...SWITCHES] as const;
export type FunctionOption = (typeof FUNCTION_OPTIONS)[number];

/** A rule for a key: the whole key, or its beginning. A list of rules selects the keys that fit one of them. */
type KeyRule = string | { readonly prefix: string };

/** A filter for the keys of items. */
export interface StreamFilter {
  readonly partition?: KeyRule | readonly KeyRule[];
  readonly sort?: KeyRule | readonly KeyRule[];
  /** The option without which the filter is left out. */
  readonly option?: FunctionOption;
}

/** The stream trigger of a function: the function is invoked for items that are inserted into a table. */
export interface StreamSpec {
  readonly table: 'table' | 'deliveriesTable';
  /**
   * Selects the items by their keys, in the filter syntax of an event source mapping. An item is selected if it fits one
   * of the filters. AWS allows five filters.
   */
  readonly keys: readonly StreamFilter[];
  /** How often a failed batch is retried before it becomes a dead letter. Each retry splits the batch in half. */
  readonly retries: number;
}

/** The queue trigger of a function: the function is invoked for messages of the queue of jobs, one at a time. */
export interface QueueSpec {
  /** How many invocations may run at once, for all companies together: 2 to 1,000. */
  readonly maxConcurrency: number;
  /** How often a message is delivered before it becomes a dead letter. */
  readonly maxDeliveries: number;
}

export interface ScheduleSpec {
  /** When the function runs: `rate(…)` or `cron(…)`, in UTC. */
  readonly expression: string;
  readonly description: string;
  /**
   * How late a run may start, in minutes, if the next run does the work of one that failed or started too late. Default:
   * Lambda repeats a failed run twice, and starts a run up to six hours late.
   */
  readonly maxAgeMinutes?: number;
}

/** The description of a deployed function. */
export interface FunctionSpec {
  /** The path of the function's source file, relative to the repository. */
  readonly entry: `functions/${string}.ts`;
  readonly timeoutSeconds: number;
  /** The access for each service. For a service that is not listed, the function is not deployed. */
  readonly access: { readonly [Service in ServiceName]?: FunctionAccess };
  readonly log: FunctionLog;
  /** The option without which the function is not deployed. */
  readonly option?: FunctionOption;
  readonly stream?: StreamSpec;
  readonly queue?: QueueSpec;
  readonly schedule?: ScheduleSpec;
}
