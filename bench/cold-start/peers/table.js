import { randomInt, randomUUID } from 'node:crypto';
import { DynamoDBClient, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';

const client = new DynamoDBClient();

/**
 * Writes a project, its payload and an event to the table in one transaction, as many items as Segue's hosted service
 * writes.
 */
export async function createInTable(project) {
  const answer = { id: randomInt(2 ** 47), creationDateUtc: new Date().toISOString(), ...project };
  const keys = [`project/${answer.id}`, `payload/${answer.id}`, `event/${randomUUID()}`];
  await client.send(
    new TransactWriteItemsCommand({
      TransactItems: keys.map((sort) => ({
        Put: {
          TableName: process.env.SEGUE_TABLE,
          Item: { partition: { S: 'company/acme' }, sort: { S: sort }, data: { S: JSON.stringify(answer) } },
          ConditionExpression: 'attribute_not_exists(#sort)',
          ExpressionAttributeNames: { '#sort': 'sort' },
        },
      })),
    }),
  );
  return answer;
}
