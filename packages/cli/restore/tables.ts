import type { JsonClient } from '../../../lib/aws/json-client.ts';
import {
  addSettings,
  type FoundTable,
  findTable,
  NEEDED_SETTINGS,
  type StackTable,
  type TableSetting,
} from '../../../lib/storage/dynamodb/table-settings.ts';
import { CliError } from '../io.ts';

/** A table that a restore has prepared for a stack. */
export interface RestoredTable {
  readonly name: string;
  /** The time to which it was restored. */
  readonly restoredToUtc?: string;
  /** The settings that it lacked. */
  readonly added: readonly TableSetting[];
  /** The value of the setting that makes a stack use the table; absent in a dry run before the stream exists. */
  readonly setting?: string;
}

interface SettleOptions {
  readonly call: JsonClient;
  readonly sleep: (ms: number) => Promise<void>;
  readonly recoveryDays: number;
  readonly isDryRun: boolean;
}

/**
 * Gives a table the settings that it needs in a stack, and lacks.
 * @throws {CliError} if the table does not exist
 */
export async function settle(
  kind: StackTable,
  name: string,
  { call, sleep, recoveryDays, isDryRun }: SettleOptions,
): Promise<RestoredTable> {
  const found = await findTable(call, name);
  if (!found) throw new CliError(`the table ${name} does not exist in this region: check its name, and AWS_REGION`);
  const { settings, restoredToMs } = found;
  const isWanted = (setting: TableSetting) => setting !== 'point-in-time recovery' || recoveryDays > 0;
  const added = NEEDED_SETTINGS[kind].filter((setting) => !settings.includes(setting) && isWanted(setting));
  if (!isDryRun && added.length > 0) await addSettings(call, name, added, { recoveryDays, sleep });
  const setting = settingFor(kind, name, isDryRun ? found : await findTable(call, name));
  return {
    name,
    ...(restoredToMs !== undefined && { restoredToUtc: new Date(restoredToMs).toISOString() }),
    added,
    ...(setting !== undefined && { setting }),
  };
}

/** Returns how the settings of a stack name a table: with its stream, if the stack reads the stream. */
function settingFor(kind: StackTable, name: string, found: FoundTable | undefined): string | undefined {
  const isRead = NEEDED_SETTINGS[kind].some((setting) => setting === 'stream');
  if (!isRead) return name;
  return found?.streamLabel === undefined ? undefined : `${name}/stream/${found.streamLabel}`;
}
