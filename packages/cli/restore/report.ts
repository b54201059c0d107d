import { countOf } from '../../../lib/contract/count.ts';
import type { StackTable } from '../../../lib/storage/dynamodb/table-settings.ts';
import type { Restored } from './restore.ts';

/** The settings of a stack that name existing tables. */
const SETTINGS: Readonly<Record<StackTable, string>> = {
  table: 'existingTable',
  credentialsTable: 'existingCredentialsTable',
  deliveriesTable: 'existingDeliveriesTable',
};

/** Formats the result of a restore: a line for each finding, and at the end the settings for the next deployment. */
export function formatRestored(restored: Restored, { isDryRun }: { readonly isDryRun: boolean }): string {
  const { tables, deletedAgain, revoked, states, limited, lostKeys, lostProjects, withoutContent, unreferenced } =
    restored;
  const will = isDryRun ? 'to do' : 'done';
  const ofTables = Object.entries(tables).flatMap(([, { name, restoredToUtc, added }]) => [
    `${name}${restoredToUtc === undefined ? '' : `, as it was at ${restoredToUtc}`}`,
    ...added.map((setting) => `${will}  ${setting}`),
  ]);
  const findings = [
    ...deletedAgain.map(({ companyId, projectId, taskId }) => [
      'deleted again',
      companyId,
      projectId,
      ...(taskId === undefined ? [] : [`task ${taskId}`]),
    ]),
    ...revoked.map(({ companyId, keyId }) => ['revoked again', companyId, keyId]),
    ...limited.map(({ companyId, keyId }) => ['limited again', companyId, keyId]),
    ...states.map(({ companyId, state }) => [`${state} again`, companyId]),
    ...restored.addedToUsagePlan.map((companyId) => ['added to the usage plan', companyId]),
    ...restored.uncheckedKeys.map(({ companyId, keyId }) => ['check the key', companyId, keyId]),
    ...lostKeys.map(({ companyId, keyId }) => ['lost key', companyId, keyId]),
    ...lostProjects.map(({ companyId, projectId }) => ['lost project', companyId, projectId]),
    ...withoutContent.map(({ companyId, projectId }) => ['no content', companyId, projectId]),
  ].map((cells) => cells.join('  '));
  const swept =
    unreferenced.length > 0 ? [`${countOf(unreferenced.length, 'object')} without an item: swept in 7 days`] : [];
  const settings = Object.entries(SETTINGS).flatMap(([kind, name]) => {
    const table = Object.entries(tables).find(([of]) => of === kind)?.[1];
    return table?.setting === undefined ? [] : [`"${name}": "${table.setting}"`];
  });
  return `${[...ofTables, ...findings, ...swept, ...settings].join('\n')}\n`;
}

/** Returns what a restore could not bring back, as a phrase; `undefined` if nothing is missing. */
export function missingIn({ lostKeys, lostProjects, withoutContent }: Restored): string | undefined {
  const missing = [
    [lostProjects.length, 'lost project'],
    [withoutContent.length, 'project without content', 'projects without content'],
    [lostKeys.length, 'lost key'],
  ] as const;
  const parts = missing.filter(([count]) => count > 0).map(([count, one, many]) => countOf(count, one, many));
  return parts.length > 0 ? parts.join(', ') : undefined;
}
