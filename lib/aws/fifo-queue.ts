import * as z from 'zod/mini';
import { type JsonClient, type JsonClientOptions, type JsonService, jsonClient } from './json-client.ts';

const SQS: JsonService = {
  host: 'sqs',
  setting: 'AWS_ENDPOINT_URL_SQS',
  isFipsInGovCloud: true,
  protocol: '1.0',
  target: 'AmazonSQS',
  answerMs: 3_000,
};

/** A message for a queue of Amazon SQS that keeps the order of each group. */
export interface QueueMessage {
  readonly groupId: string;
  readonly deduplicationId: string;
  readonly body: string;
}

/** The maximum number of messages in one request. */
const AT_ONCE = 10;

const Sent = z.object({ Failed: z.optional(z.array(z.object({ Code: z.string() }))) });

/** The error for a message that the queue refused. */
class MessageRefused extends Error {
  override readonly name = 'MessageRefused';
  readonly code: string;

  constructor(code: string) {
    super('The queue refused a message');
    this.code = code;
  }
}

/** Creates a client of Amazon SQS. Loading the client of the SDK would take longer. */
export function queueClient(options: JsonClientOptions): JsonClient {
  return jsonClient(SQS, options);
}

/**
 * Sends messages to a queue. Sending a message again within five minutes changes nothing.
 * @throws if the queue did not accept all messages
 */
export async function sendMessages(
  queueUrl: string,
  client: JsonClient,
  messages: readonly QueueMessage[],
): Promise<void> {
  for (let start = 0; start < messages.length; start += AT_ONCE) {
    const Entries = messages.slice(start, start + AT_ONCE).map(({ groupId, deduplicationId, body }, index) => ({
      Id: String(index),
      MessageBody: body,
      MessageGroupId: groupId,
      MessageDeduplicationId: deduplicationId,
    }));
    const { Failed: [refused] = [] } = Sent.parse(await client('SendMessageBatch', { QueueUrl: queueUrl, Entries }));
    if (refused) throw new MessageRefused(refused.Code);
  }
}
