import { GATEWAY_LIMITS } from '../../lib/contract/limits.ts';

/** The services that Segue can pass commands to: its own, or another one at a base URL. */
export const SERVICES = ['hosted', 'upstream'] as const;
export type ServiceName = (typeof SERVICES)[number];

/** An action of DynamoDB. A transaction needs the actions of its parts. */
export type TableAction =
  | 'BatchGetItem'
  | 'ConditionCheckItem'
  | 'DeleteItem'
  | 'GetItem'
  | 'PutItem'
  | 'Query'
  | 'UpdateItem';
/** The access of a function to the payloads. `sweep` allows it only to delete them. */
export type PayloadAccess = 'read' | 'write' | 'sweep';
export type ManifestAccess = 'read' | 'writeIndex';
/** An option of the gateway that a function receives as an environment variable. */
export type FunctionSetting = 'rate' | 'recoveryDays' | 'startToleranceSeconds';

/** The permissions of a function's role, apart from writing its log, and the settings that the function receives. */
export interface FunctionAccess {
  readonly table?: readonly TableAction[];
  readonly deliveriesTable?: readonly TableAction[];
  readonly payloads?: PayloadAccess;
  readonly manifests?: ManifestAccess;
  /** Whether it may read the buckets in the option `projectsFrom`, from which workflows create projects. */
  readonly projectsFrom?: true;
  readonly signingSecret?: 'read' | 'rotate';
  readonly upstreamSecret?: true;
  readonly webhookSecrets?: true;
  readonly eventBus?: true;
  readonly settings?: readonly FunctionSetting[];
}

/** Functions that share alarms, because the same people lose the same thing when one of them fails. */
export const ALARM_GROUPS = [
  'ChangeProjects',
  'ReadProjects',
  'Authorizer',
  'Tokens',
  'ReceiveWebhook',
  'Pages',
  'Tasks',
  'Background',
] as const;
export type AlarmGroup = (typeof ALARM_GROUPS)[number];

/** Items whose insertion into a table invokes a function. */
export interface StreamSpec {
  readonly table: 'table' | 'deliveriesTable';
  /** Selects the items by partition and sort key, in the syntax of an event source mapping's filter. */
  readonly keys: { readonly [Key in 'partition' | 'sort']?: string | { readonly prefix: string } };
  /** How often a batch is retried, halved each time, before it becomes a dead letter. */
  readonly retries: number;
}

export interface ScheduleSpec {
  /** `rate(…)` or `cron(…)`, in UTC. */
  readonly expression: string;
  readonly description: string;
  /** How late an invocation may be before it becomes a dead letter. */
  readonly maxAgeMinutes: number;
}

/** A deployed function. */
export interface FunctionSpec {
  /** Relative to the repository. */
  readonly entry: `functions/${string}.ts`;
  readonly timeoutSeconds: number;
  /** By service. The function exists only for the services that are listed. */
  readonly access: { readonly [Service in ServiceName]?: FunctionAccess };
  readonly alarmGroup: AlarmGroup;
  readonly stream?: StreamSpec;
  readonly schedule?: ScheduleSpec;
}

const HTTP_SECONDS = GATEWAY_LIMITS.timeoutMs / 1_000;

const READ_HOSTED: FunctionAccess = {
  // Reading an operation ends the lease of an abandoned attempt before it reports it as failed
  table: ['GetItem', 'BatchGetItem', 'Query', 'UpdateItem'],
  payloads: 'read',
};
const READ_UPSTREAM: FunctionAccess = { table: ['GetItem', 'Query'], upstreamSecret: true };

const CREATE_HOSTED: FunctionAccess = {
  table: ['GetItem', 'BatchGetItem', 'UpdateItem', 'PutItem', 'DeleteItem'],
  payloads: 'write',
  settings: ['startToleranceSeconds', 'recoveryDays'],
};
const CREATE_UPSTREAM: FunctionAccess = {
  table: ['GetItem', 'UpdateItem', 'DeleteItem'],
  upstreamSecret: true,
  settings: ['startToleranceSeconds'],
};
// a deletion's transaction checks that the key or company is still active
const CHANGE_HOSTED: FunctionAccess = {
  ...CREATE_HOSTED,
  table: ['GetItem', 'BatchGetItem', 'UpdateItem', 'PutItem', 'DeleteItem', 'ConditionCheckItem'],
};
const CHANGE_UPSTREAM: FunctionAccess = {
  ...CREATE_UPSTREAM,
  table: ['GetItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
};

function both(access: FunctionAccess): Record<ServiceName, FunctionAccess> {
  return { hosted: access, upstream: access };
}

/** Every deployed function. */
export const FUNCTIONS = {
  changeProjects: {
    entry: 'functions/changeProjects.ts',
    timeoutSeconds: HTTP_SECONDS,
    access: { hosted: CHANGE_HOSTED, upstream: CHANGE_UPSTREAM },
    alarmGroup: 'ChangeProjects',
  },
  readProjects: {
    entry: 'functions/readProjects.ts',
    timeoutSeconds: HTTP_SECONDS,
    access: { hosted: READ_HOSTED, upstream: READ_UPSTREAM },
    alarmGroup: 'ReadProjects',
  },
  tokens: {
    entry: 'functions/tokens.ts',
    timeoutSeconds: HTTP_SECONDS,
    access: both({
      // the second use of a refresh token ends its family only while that attempt still holds its key
      table: ['GetItem', 'UpdateItem', 'ConditionCheckItem'],
      signingSecret: 'read',
      settings: ['rate'],
    }),
    alarmGroup: 'Tokens',
  },
  receiveWebhook: {
    entry: 'functions/receiveWebhook.ts',
    timeoutSeconds: HTTP_SECONDS,
    access: both({ table: ['GetItem'], deliveriesTable: ['GetItem', 'UpdateItem'], webhookSecrets: true }),
    alarmGroup: 'ReceiveWebhook',
  },
  pages: {
    entry: 'functions/pages.ts',
    timeoutSeconds: HTTP_SECONDS,
    access: both({}),
    alarmGroup: 'Pages',
  },
  authorizer: {
    entry: 'functions/authorizer.ts',
    timeoutSeconds: 10,
    access: both({ table: ['GetItem'], signingSecret: 'read' }),
    alarmGroup: 'Authorizer',
  },
  createProjectTask: {
    entry: 'functions/tasks/createProject.ts',
    timeoutSeconds: 60,
    access: { hosted: { ...CREATE_HOSTED, projectsFrom: true }, upstream: { ...CREATE_UPSTREAM, projectsFrom: true } },
    alarmGroup: 'Tasks',
  },
  deleteProjectTask: {
    entry: 'functions/tasks/deleteProject.ts',
    timeoutSeconds: 60,
    access: {
      hosted: { ...CHANGE_HOSTED, settings: ['recoveryDays'] },
      upstream: { ...CHANGE_UPSTREAM, settings: [] },
    },
    alarmGroup: 'Tasks',
  },
  prepareBulk: {
    entry: 'functions/tasks/prepareBulk.ts',
    // it reads the whole manifest
    timeoutSeconds: 900,
    access: both({ table: ['GetItem'], manifests: 'writeIndex' }),
    alarmGroup: 'Tasks',
  },
  bulkLine: {
    entry: 'functions/tasks/bulkLine.ts',
    timeoutSeconds: 60,
    access: { hosted: { ...CHANGE_HOSTED, manifests: 'read' }, upstream: { ...CHANGE_UPSTREAM, manifests: 'read' } },
    alarmGroup: 'Tasks',
  },
  sweeper: {
    entry: 'functions/background/sweeper.ts',
    // less than the time to the next run
    timeoutSeconds: 240,
    access: { hosted: { table: ['Query', 'GetItem', 'UpdateItem', 'DeleteItem'], payloads: 'sweep' } },
    alarmGroup: 'Background',
    stream: { table: 'table', keys: { partition: 'sweep' }, retries: 3 },
    schedule: { expression: 'rate(5 minutes)', description: 'Objects that are still to be swept', maxAgeMinutes: 5 },
  },
  publishEvents: {
    entry: 'functions/background/publishEvents.ts',
    timeoutSeconds: 240,
    access: both({ table: ['GetItem'], eventBus: true }),
    alarmGroup: 'Background',
    // no schedule retries events later, so it waits longer for a bus that fails
    stream: { table: 'table', keys: { sort: { prefix: 'event/' } }, retries: 30 },
  },
  deliveries: {
    entry: 'functions/background/deliveries.ts',
    // less than a worker's lease of a delivery
    timeoutSeconds: 55,
    access: {
      hosted: { ...CHANGE_HOSTED, deliveriesTable: ['GetItem', 'Query', 'UpdateItem', 'DeleteItem'] },
      upstream: { ...CHANGE_UPSTREAM, deliveriesTable: ['GetItem', 'Query', 'UpdateItem', 'DeleteItem'] },
    },
    alarmGroup: 'Background',
    stream: { table: 'deliveriesTable', keys: { sort: 'state' }, retries: 3 },
    schedule: { expression: 'rate(1 minute)', description: 'Webhook deliveries that are due', maxAgeMinutes: 1 },
  },
  reconciler: {
    entry: 'functions/background/reconciler.ts',
    timeoutSeconds: 55,
    // a mark of an operation is removed only while the operation's record is unchanged
    access: {
      upstream: { table: ['Query', 'GetItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'], upstreamSecret: true },
    },
    alarmGroup: 'Background',
    schedule: { expression: 'rate(1 minute)', description: 'Operations with an open outcome', maxAgeMinutes: 1 },
  },
  audit: {
    entry: 'functions/background/audit.ts',
    timeoutSeconds: 900,
    access: { upstream: READ_UPSTREAM },
    alarmGroup: 'Background',
    schedule: {
      expression: 'cron(30 2 * * ? *)',
      description: 'Comparison of the ledger with the upstream service',
      maxAgeMinutes: 60,
    },
  },
  rotateSigningKeys: {
    entry: 'functions/background/rotateSigningKeys.ts',
    timeoutSeconds: 240,
    access: both({ signingSecret: 'rotate' }),
    alarmGroup: 'Background',
  },
} as const satisfies Record<string, FunctionSpec>;

export type FunctionName = keyof typeof FUNCTIONS;

/** A function with its name. */
export interface FunctionEntry extends FunctionSpec {
  readonly name: FunctionName;
}

/** Lists the functions of a service. */
export function functionsOf(service: ServiceName): FunctionEntry[] {
  const names = Object.keys(FUNCTIONS).filter((name): name is FunctionName => name in FUNCTIONS);
  return names
    .map((name): FunctionEntry => ({ name, ...FUNCTIONS[name] }))
    .filter(({ access }) => access[service] !== undefined);
}
