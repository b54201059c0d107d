import { setTimeout } from 'node:timers/promises';
import type { ProblemType } from '../../../lib/contract/problems.ts';
import type { StartedGateway } from '../../support/gateway.ts';
import type { HttpAnswer, HttpRequest } from '../../support/http.ts';
import { open } from '../../support/raw-http.ts';
import { ask, problemIn } from '../asking.ts';

/** When a client ends its connection: so much of the request is sent, and so many milliseconds have passed since. */
export interface Cut {
  readonly share: number;
  readonly afterMs: number;
}

/** Tries before a key must be free again. */
const MOST_REPETITIONS = 20;

/** Sends requests, some of which it breaks off, and remembers what was answered. */
export class Client {
  readonly gateway: StartedGateway;
  requests = 0;
  cut = 0;
  /** Projects whose deletion was acknowledged. */
  deleted = 0;
  readonly problems = new Map<string, number>();
  /** Every answer that is not what it had to be, in words. */
  readonly wrong: string[] = [];
  /** The idempotency keys that were sent. */
  readonly keys = new Set<string>();

  constructor(gateway: StartedGateway) {
    this.gateway = gateway;
  }

  /**
   * Sends a request whose answer is known: a status, or a type of problem.
   * @param cut breaks it off once before, so that it is repeated with its key
   */
  async send(request: HttpRequest, expected: number | ProblemType, cut?: Cut): Promise<HttpAnswer> {
    const key = request.headers?.['Idempotency-Key'];
    if (typeof key === 'string') this.keys.add(key);
    if (cut) await this.#breakOff(request, cut);
    const answer = await this.#repeat(request, cut !== undefined);
    const found = problemIn(answer) ?? answer.status;
    if (found !== expected) {
      this.wrong.push(`${request.method} ${request.path}: ${found}, not ${expected} ${answer.text.slice(0, 300)}`);
    }
    return answer;
  }

  /** The gateway may still be at work on a request that was broken off. */
  async #repeat(request: HttpRequest, wasCut: boolean): Promise<HttpAnswer> {
    for (let repetition = 0; ; repetition++) {
      const answer = await ask(this.gateway, request);
      this.requests += 1;
      const problem = problemIn(answer);
      if (problem !== undefined) this.problems.set(problem, (this.problems.get(problem) ?? 0) + 1);
      if (!wasCut || problem !== 'request-in-progress' || repetition === MOST_REPETITIONS) return answer;
      await setTimeout(Number(answer.headers['retry-after']) * 1_000);
    }
  }

  async #breakOff({ method, path, headers, body = '' }: HttpRequest, { share, afterMs }: Cut): Promise<void> {
    const { hostname, port } = new URL(this.gateway.url);
    const content = Buffer.from(body);
    const lines = Object.entries({
      Host: hostname,
      Authorization: this.gateway.authorization,
      'Content-Length': `${content.length}`,
      ...headers,
    }).map(([name, value]) => `${name}: ${value}\r\n`);
    const bytes = Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`), content]);
    const socket = await open(Number(port));
    socket.on('error', () => {}); // The gateway may have hung up before.
    socket.write(bytes.subarray(0, Math.ceil(bytes.length * share)));
    await setTimeout(afterMs);
    socket.destroy();
    this.cut += 1;
  }
}
