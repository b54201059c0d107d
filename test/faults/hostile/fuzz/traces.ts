import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { FAULT_CODES } from '../../../../lib/contract/fault.ts';
import { PROBLEMS } from '../../../../lib/contract/problems.ts';
import { REFUSALS } from '../../../../lib/contract/refusals.ts';
import { CANARY, type World } from './world.ts';

const name = z.string().check(z.regex(/^[\w.$/-]{1,64}$/));
const count = z.int().check(z.minimum(0));

/** Every field that a line of the log may have. */
const LogLine = z.strictObject({
  level: z.enum(['info', 'error']),
  operation: name,
  requestId: z.uuid(),
  companyId: z.optional(name),
  keyId: z.optional(name),
  familyId: z.optional(z.uuid()),
  refusal: z.optional(z.string().check(z.refine((reason) => Object.hasOwn(REFUSALS, reason)))),
  senderHash: z.optional(z.string().check(z.regex(/^[0-9a-f]{16}$/))),
  status: z.optional(count),
  durationMs: z.optional(count),
  requestBytes: z.optional(count),
  answerBytes: z.optional(count),
  problem: z.optional(z.string().check(z.refine((type) => Object.hasOwn(PROBLEMS, type)))),
  faults: z.optional(z.array(z.string().check(z.refine((code) => Object.hasOwn(FAULT_CODES, code))))),
  cause: z.optional(z.strictObject({ name, code: z.optional(name), frames: z.array(z.string()) })),
});

/** Requires the log to be made of lines that it may have, and nothing of what was said to be in it. */
export function requireDiscretion({ gateway, free, guarded }: World): void {
  const log = gateway.stderr();
  for (const line of log.split('\n').slice(0, -1)) {
    const read = LogLine.safeParse(jsonIn(line));
    assert(read.success, `a line that is none of the log: ${line}`);
    assert.notEqual(read.data.level, 'error', line);
  }
  const secrets = [free, ...guarded].flatMap(({ apiKey, basic, bearer }) => [apiKey, basic.slice(6), bearer.slice(7)]);
  for (const text of [CANARY, Buffer.from(CANARY).toString('base64').slice(0, -2), ...secrets]) {
    assert(!log.includes(text), 'the log holds what was said');
    assert(text === free.apiKey || !gateway.stdout().includes(text), 'the output holds what was said');
  }
}

function jsonIn(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** The most memory that a process had, in MiB; what it has now, where the system does not tell the most. */
export function memoryMiB(pid: number): number {
  const status = `/proc/${pid}/status`;
  const kibibytes = existsSync(status)
    ? /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(status, 'utf8'))?.[1]
    : execFileSync('ps', ['-o', 'rss=', '-p', `${pid}`]).toString();
  return Math.ceil(Number(kibibytes) / 1_024);
}
