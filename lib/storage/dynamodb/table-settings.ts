import * as z from 'zod/mini';
import { AwsRefusal, type JsonClient, type JsonClientOptions, jsonClient } from '../../aws/json-client.ts';
import { DYNAMODB } from './client.ts';

/** The settings of a table, apart from its keys. A restored table has none of them. */
export const TABLE_SETTINGS = ['stream', 'time to live', 'point-in-time recovery', 'deletion protection'] as const;
export type TableSetting = (typeof TABLE_SETTINGS)[number];

/** The settings that each table of a stack needs. */
export const NEEDED_SETTINGS = {
  table: TABLE_SETTINGS,
  credentialsTable: ['time to live', 'point-in-time recovery', 'deletion protection'],
  // Recovery would bring back messages that Segue has erased.
  deliveriesTable: ['stream', 'time to live', 'deletion protection'],
} as const satisfies Record<string, readonly TableSetting[]>;
export type StackTable = keyof typeof NEEDED_SETTINGS;

/** A table, as it is now. */
export interface FoundTable {
  /** The label of the stream; absent if the table has none. */
  readonly streamLabel?: string | undefined;
  /** The time to which the table was restored, in milliseconds since 1970; absent if it was not restored. */
  readonly restoredToMs?: number;
  /** For how many days the table can be recovered; absent if it cannot. */
  readonly recoveryDays?: number;
  /** The settings that the table has. */
  readonly settings: readonly TableSetting[];
}

/** The error for a table that Segue cannot use. The message is for the operator. */
class TableError extends Error {
  override readonly name = 'TableError';
}

/** Creates a client of Amazon DynamoDB for the settings of tables. */
export function tableClient(options: JsonClientOptions): JsonClient {
  return jsonClient({ ...DYNAMODB, answerMs: 10_000 }, options);
}

const Described = z.object({
  Table: z.object({
    TableStatus: z.string(),
    KeySchema: z.array(z.object({ AttributeName: z.string(), KeyType: z.string() })),
    StreamSpecification: z.optional(z.object({ StreamEnabled: z.boolean(), StreamViewType: z.optional(z.string()) })),
    LatestStreamLabel: z.optional(z.string()),
    DeletionProtectionEnabled: z.optional(z.boolean()),
    RestoreSummary: z.optional(z.object({ RestoreDateTime: z.number() })),
  }),
});
type Described = z.infer<typeof Described>['Table'];
const TimeToLive = z.object({ TimeToLiveDescription: z.object({ TimeToLiveStatus: z.optional(z.string()) }) });
const Recovery = z.object({
  ContinuousBackupsDescription: z.object({
    PointInTimeRecoveryDescription: z.optional(
      z.object({ PointInTimeRecoveryStatus: z.string(), RecoveryPeriodInDays: z.optional(z.int()) }),
    ),
  }),
});
const DEFAULT_RECOVERY_DAYS = 35;

/**
 * Reads the settings of a table. Returns `undefined` if the table does not exist.
 * @throws {TableError} if it is no table of Segue
 */
export async function findTable(call: JsonClient, name: string): Promise<FoundTable | undefined> {
  const described = await describe(call, name);
  if (!described) return undefined;
  const { KeySchema, StreamSpecification: stream, LatestStreamLabel, RestoreSummary } = described;
  const keys = KeySchema.map(({ AttributeName, KeyType }) => `${KeyType} ${AttributeName}`).sort();
  if (keys.join() !== 'HASH partition,RANGE sort') {
    throw new TableError(`${name} is no table of Segue: its keys are not partition and sort`);
  }
  if (stream?.StreamEnabled && stream.StreamViewType !== 'KEYS_ONLY') {
    throw new TableError(`the stream of ${name} has more than keys: disable it first`);
  }
  const request = { TableName: name };
  const { TimeToLiveDescription } = TimeToLive.parse(await call('DescribeTimeToLive', request));
  const { ContinuousBackupsDescription } = Recovery.parse(await call('DescribeContinuousBackups', request));
  const recovery = ContinuousBackupsDescription.PointInTimeRecoveryDescription;
  const isRecoverable = recovery?.PointInTimeRecoveryStatus === 'ENABLED';
  const has: Record<TableSetting, boolean> = {
    stream: stream?.StreamEnabled ?? false,
    'time to live': TimeToLiveDescription.TimeToLiveStatus?.startsWith('ENABL') ?? false,
    'point-in-time recovery': isRecoverable,
    'deletion protection': described.DeletionProtectionEnabled ?? false,
  };
  return {
    ...(has.stream && { streamLabel: LatestStreamLabel }),
    ...(RestoreSummary && { restoredToMs: RestoreSummary.RestoreDateTime * 1_000 }),
    ...(isRecoverable && { recoveryDays: recovery.RecoveryPeriodInDays ?? DEFAULT_RECOVERY_DAYS }),
    settings: TABLE_SETTINGS.filter((setting) => has[setting]),
  };
}

/** The values of the settings. */
export interface SettingOptions {
  readonly recoveryDays: number;
  readonly sleep: (ms: number) => Promise<void>;
}

/** Sets settings of a table, one after the other, because DynamoDB changes a table only while it is active. */
export async function addSettings(
  call: JsonClient,
  name: string,
  settings: readonly TableSetting[],
  { recoveryDays, sleep }: SettingOptions,
): Promise<void> {
  const requests: Record<TableSetting, readonly [operation: string, request: object]> = {
    stream: ['UpdateTable', { StreamSpecification: { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' } }],
    'time to live': ['UpdateTimeToLive', { TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true } }],
    'point-in-time recovery': [
      'UpdateContinuousBackups',
      { PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: recoveryDays } },
    ],
    'deletion protection': ['UpdateTable', { DeletionProtectionEnabled: true }],
  };
  for (const setting of settings) {
    const [operation, request] = requests[setting];
    await untilActive(call, name, sleep);
    await call(operation, { TableName: name, ...request });
  }
  await untilActive(call, name, sleep);
}

const POLL_MS = 1_000;
/** How often the state of a table is read at most: a change of a table takes seconds. */
const MAX_POLLS = 600;

async function untilActive(call: JsonClient, name: string, sleep: (ms: number) => Promise<void>): Promise<void> {
  for (let polls = 0; polls < MAX_POLLS; polls++) {
    if ((await describe(call, name))?.TableStatus === 'ACTIVE') return;
    await sleep(POLL_MS);
  }
  throw new TableError(`${name} is not active: run the command again once its restore is over`);
}

async function describe(call: JsonClient, name: string): Promise<Described | undefined> {
  try {
    return Described.parse(await call('DescribeTable', { TableName: name })).Table;
  } catch (error) {
    if (error instanceof AwsRefusal && error.code === 'ResourceNotFoundException') return undefined;
    throw error;
  }
}
