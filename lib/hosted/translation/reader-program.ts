import { parentPort } from 'node:worker_threads';
import { contentReader } from './content-reader.ts';
import { answerOf, type ReaderRequest } from './reader-messages.ts';

// The program of the thread of `threadedReader`. It says when it is loaded, and then answers each request.
const reader = contentReader();
parentPort?.on('message', async (request: ReaderRequest) => {
  parentPort?.postMessage(await answerOf(reader, request));
});
parentPort?.postMessage('loaded');
