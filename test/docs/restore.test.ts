import { describe, expect, it } from 'vitest';
import { readSettings } from '../../infra/context.ts';
import { STAGES } from '../../infra/stages.ts';
import { RETENTIONS } from '../../lib/contract/retentions.ts';
import { blocks, groupOf, read, SEGUE } from './world.ts';

const PAGE = read('docs/restore.md');
const commands = [...PAGE.matchAll(/npx --no-install segue (restore[^\n`]*)/g)].map(([, command = '']) => command);

describe('docs/restore.md', () => {
  it.each(commands)('shows the command segue %s with options that exist', (command) => {
    const options = [...SEGUE.options, ...(groupOf('restore')?.options ?? [])];
    const known = options.map(({ long }) => long);
    for (const [option] of command.matchAll(/--[a-z-]+/g)) expect(known).toContain(option);
  });

  it('shows settings that a stack accepts', () => {
    const [shown = ''] = blocks(PAGE, 'json');
    const filled = shown.replaceAll('<label>', '2026-11-20T09:30:00.123').replace('<BucketName>', 'a-bucket');
    const { context } = JSON.parse(filled.replaceAll(/<(\w+)>/g, '$1'));
    expect(readSettings(context)).toMatchObject({
      existingTable: { tableName: 'TableName' },
      existingCredentialsTable: 'CredentialsTableName',
      existingDeliveriesTable: { tableName: 'DeliveriesTableName' },
      existingBucket: 'a-bucket',
    });
    const settings = [...PAGE.matchAll(/`("existing\w+": "[^"]+")`/g)].map(([, setting = '']) => setting);
    expect(readSettings({ service: 'hosted', ...JSON.parse(`{${settings}}`) })).toMatchObject({
      existingTable: { tableName: 'Segue-restored' },
      existingCredentialsTable: 'Segue-credentials-restored',
    });
  });

  it('has the rates, retentions and days of the code', () => {
    const { methodRate, recoveryDays } = STAGES.production;
    expect(PAGE).toContain(`limit ${methodRate.perSecond} ${methodRate.burst}`);
    const text = PAGE.replaceAll(/\s+/g, ' ');
    expect(text).toContain(`${recoveryDays} in \`production\`, ${STAGES.development.recoveryDays} in \`development\``);
    expect(text).toContain(`Segue keeps tombstones and events for ${RETENTIONS.tombstone.days} days`);
    expect(RETENTIONS.event.days).toBe(RETENTIONS.tombstone.days);
  });

  it('explains each line that the command prints', () => {
    const report = read('packages/cli/restore/report.ts');
    const printed = [...report.matchAll(/\[\s*'([a-z ]+)'/g)].map(([, line = '']) => line);
    expect(printed.length).toBeGreaterThan(5);
    for (const line of printed) expect(PAGE).toContain(`\`${line}\``);
  });
});
