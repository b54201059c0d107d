import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import * as z from 'zod/mini';
import { send } from '../../support/http.ts';
import { open } from '../../support/raw-http.ts';
import { ATTACKS } from './run.ts';

/** The bytes that are sent at once: 60 KB a second. The gateway cuts off clients below 50 KB a second. */
const PIECE_BYTES = 6_000;
const PAUSE_MS = 100;
/**
 * The pause between requests, in milliseconds. A client without a pause would use all processor time of the machine.
 */
const THINK_MS = 2;

const { url, title } = z.object({ url: z.string(), title: z.string() }).parse(workerData);
const attack = ATTACKS.find((one) => one.title === title);
let answers = 0;
let isOver = false;

async function flood(first: number): Promise<void> {
  const requests = attack?.floods ?? [];
  for (let n = first; !isOver; n++) {
    const request = requests[n % requests.length];
    if (!request) return;
    try {
      await send(url, request);
      answers++;
    } catch {
      // A closed connection counts as an answer, but has no time to measure.
    }
    await setTimeout(THINK_MS);
  }
}

async function upload(start: string): Promise<void> {
  while (!isOver) {
    const socket = await open(Number(new URL(url).port));
    const closed = once(socket.on('error', () => {}).resume(), 'close');
    socket.write(
      `${start} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    while (!isOver && !socket.destroyed) {
      socket.write(`${PIECE_BYTES.toString(16)}\r\n${' '.repeat(PIECE_BYTES)}\r\n`);
      await Promise.race([setTimeout(PAUSE_MS), closed]);
    }
    socket.destroy();
  }
}

const lanes = [
  ...Array.from({ length: attack?.clients ?? 0 }, (_, n) => flood(n)),
  ...(attack?.uploads ?? []).map(upload),
];
parentPort?.on('message', async (message) => {
  if (message === 'end') isOver = true;
  if (isOver) await Promise.all(lanes);
  parentPort?.postMessage(answers);
  if (isOver) process.exit();
});
parentPort?.postMessage(answers);
