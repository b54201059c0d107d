import type { FactGroup } from './fact.ts';

/** What a restore assumes about DynamoDB, API Gateway and CloudFormation. */
export const RESTORE: FactGroup = {
  heading: 'What a restore takes for true',
  shows: 'How it shows',
  facts: [
    {
      fact: 'A restored table has the keys and the encryption of its source, and no stream, time to live, point-in-time recovery or deletion protection.',
      sure: 'docs',
      where: '`packages/cli/restore/`, `lib/storage/dynamodb/table-settings.ts`',
      byHand:
        'a table of `aws dynamodb restore-table-to-point-in-time`: `npx --no-install segue restore --table <name> --dry-run` lists four settings to do',
    },
    {
      fact: 'If a table with point-in-time recovery is deleted, DynamoDB keeps a backup of its last state for 35 days.',
      sure: 'docs',
      where: '`docs/restore.md`: `--complete`',
      byHand: 'the deletion of a table of a trial: `aws dynamodb list-backups --backup-type SYSTEM` lists its backup',
    },
    {
      fact: 'The latest second to which a table can be restored is about 5 minutes ago.',
      sure: 'docs',
      where: '`docs/restore.md`: the recovery point objective',
      byHand: '`aws dynamodb describe-continuous-backups` has `LatestRestorableDateTime`',
    },
    {
      fact: 'With a rate and a burst of 0, a stage answers every request with THROTTLED, 429, until a command sets others.',
      sure: 'seen (scripts that pause APIs)',
      where: '`docs/restore.md`: stop the requests',
      byHand: 'the function `limit 0 0` of the page: `curl -i "$API/health"` is 429, and 200 after `limit 1000 2000`',
    },
    {
      fact: 'A deployment with `existingTable` removes the table before from the stack, and keeps it.',
      sure: 'docs: DeletionPolicy',
      where: '`infra/stores/stores.ts`, `infra/removal-policy.ts`',
      byHand:
        'a deployment with `existingTable`: its events show DELETE_SKIPPED for the table, and `aws dynamodb describe-table` still shows it',
    },
    {
      fact: 'If the ARN of the stream of an event source mapping changes, CloudFormation makes a new mapping, which reads the stream from its oldest record.',
      sure: 'docs',
      where: '`infra/functions/add-triggers.ts`: events of repeated deletions are published after the deployment.',
      byHand:
        'a restore with `deleted again`, and a rule on the event bus: it gets `project.deleted` after the deployment',
    },
  ],
};
