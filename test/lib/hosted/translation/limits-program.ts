import { getHeapStatistics } from 'node:v8';
import { parentPort } from 'node:worker_threads';

// A program of a reader's thread that answers each content with the limit of its heap, in mebibytes.
parentPort?.on('message', ({ contents }: { readonly contents: readonly string[] }) => {
  const text = String(getHeapStatistics().heap_size_limit / 1_048_576);
  const empty = { joined: '', lengths: new Uint32Array() };
  parentPort?.postMessage({
    contents: contents.map(() => ({ kind: 'translated', text })),
    texts: empty,
    flags: new Uint8Array(),
  });
});
parentPort?.postMessage('loaded');
