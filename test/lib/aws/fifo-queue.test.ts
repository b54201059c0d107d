import { expect, it } from 'vitest';
import { queueClient, sendMessages } from '../../../lib/aws/fifo-queue.ts';
import { AWS_ENDPOINT } from '../../support/aws/dynamodb.ts';
import { heldNow } from '../support.ts';

const URL = 'https://sqs.eu-central-1.amazonaws.com/000000000000/jobs.fifo';
const messages = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ groupId: 'acme/0', deduplicationId: `job-${n}`, body: `{"n":${n}}` }));

/** Makes a client of a queue whose every request has this answer, and keeps the requests. */
function queueAnswering(answer: object) {
  const sent: { readonly target: string | undefined; readonly body: unknown }[] = [];
  const client = queueClient({
    now: heldNow,
    endpointOf: async () => AWS_ENDPOINT,
    async post({ headers, body }) {
      sent.push({ target: headers['x-amz-target'], body: JSON.parse(body) });
      return { status: 200, body: JSON.stringify(answer) };
    },
  });
  return { client, sent };
}

it('sends ten messages in a request, with their groups and ids', async () => {
  const { client, sent } = queueAnswering({ Successful: [] });
  await sendMessages(URL, client, messages(11));
  expect(sent).toHaveLength(2);
  expect(sent[1]).toEqual({
    target: 'AmazonSQS.SendMessageBatch',
    body: {
      QueueUrl: URL,
      Entries: [{ Id: '0', MessageBody: '{"n":10}', MessageGroupId: 'acme/0', MessageDeduplicationId: 'job-10' }],
    },
  });
});

it('fails if the queue refuses a message', async () => {
  const { client } = queueAnswering({ Failed: [{ Id: '0', Code: 'InternalError', SenderFault: false }] });
  await expect(sendMessages(URL, client, messages(1))).rejects.toMatchObject({
    name: 'MessageRefused',
    code: 'InternalError',
  });
});
