import { parentPort } from 'node:worker_threads';
import { contentReader } from '../../../../lib/hosted/translation/content-reader.ts';
import { answerOf, type ReaderRequest } from '../../../../lib/hosted/translation/reader-messages.ts';

// A program of a reader's thread that dies of some contents.
const reader = contentReader();
parentPort?.on('message', async (request: ReaderRequest) => {
  const has = (poison: string) => request.contents.some((content) => content.includes(poison));
  if (has('%memory')) for (const all: unknown[] = []; ; ) all.push(new Array(10_000).fill(all));
  if (has('%time')) for (;;);
  if (has('%error')) throw new Error('An error of the program');
  parentPort?.postMessage(await answerOf(reader, request));
});
parentPort?.postMessage('loaded');
