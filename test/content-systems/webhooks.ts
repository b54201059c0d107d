import { request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultRates } from './stand-in.ts';

/** A call of a webhook. */
export interface WebhookCall {
  /** Returns the headers for the moment of sending, because some systems sign that moment. */
  readonly headers: (atMs: number) => Readonly<Record<string, string>>;
  readonly body: string;
}

export interface WebhookOptions {
  /** Returns the URL of the receiver now. */
  readonly url: () => string;
  /** How often the system repeats a failed call. */
  readonly retries: number;
  /** The pause between attempts, in milliseconds. */
  readonly pauseMs: number;
  readonly faults: FaultRates;
}

/** The sender of a content system's webhooks. Its calls arrive in any order. */
export interface WebhookSender {
  send(call: WebhookCall): void;
  /** Waits until every call so far has been accepted, or given up. */
  idle(): Promise<void>;
  /** The calls that were given up. */
  readonly lost: readonly WebhookCall[];
}

/**
 * - `dropped`: the call does not arrive
 * - `unanswered`: the call arrives, and its answer is lost
 * - `duplicate`: the call arrives twice
 * - `late`: the call waits, so that later ones overtake it
 */
const CALL_FAULTS = ['dropped', 'unanswered', 'duplicate', 'late'] as const;
const LATE_MS = 400;
const TIMEOUT_MS = 10_000;

export function webhookSender({ url, retries, pauseMs, faults }: WebhookOptions): WebhookSender {
  const open = new Set<Promise<void>>();
  const lost: WebhookCall[] = [];

  async function deliver(call: WebhookCall): Promise<void> {
    for (let attempt = 0; attempt <= retries; attempt++) {
      if (attempt > 0) await sleep(pauseMs);
      if (await isAccepted(call)) return;
    }
    lost.push(call);
  }

  async function isAccepted({ headers, body }: WebhookCall): Promise<boolean> {
    const fault = faults.random.chance(faults.share) ? faults.random.pick(CALL_FAULTS) : undefined;
    if (fault === 'dropped') return false;
    if (fault === 'late') await sleep(LATE_MS);
    const first = await post(url(), headers(Date.now()), body);
    if (fault === 'duplicate') await post(url(), headers(Date.now()), body);
    return fault !== 'unanswered' && first >= 200 && first < 300;
  }

  return {
    lost,
    send(call) {
      const delivery = deliver(call).finally(() => open.delete(delivery));
      open.add(delivery);
    },
    async idle() {
      while (open.size > 0) await Promise.all(open);
    },
  };
}

/** Posts a body. @returns the status; 0 if there is no answer */
function post(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<number> {
  return new Promise((resolve) => {
    const request = httpRequest(url, { method: 'POST', headers, agent: false, timeout: TIMEOUT_MS }, (response) => {
      response.resume().on('close', () => resolve(response.statusCode ?? 0));
    });
    request.on('timeout', () => request.destroy()).on('error', () => resolve(0));
    request.end(body);
  });
}
