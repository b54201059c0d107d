import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { BODY_LIMITS } from '../lib/contract/routes.ts';
import { isGzip } from '../lib/http/middleware/body.ts';
import { maxBodyBytes, readBody } from './body.ts';
import { ByteSemaphore } from './byte-semaphore.ts';
import { remember } from './recent.ts';
import { GatewayError, type WireResponse } from './response.ts';
import type { RouteEntry } from './target.ts';

export interface MemoryOptions {
  /** How long a request waits for memory, in milliseconds. */
  readonly waitMs: number;
  /** How long a client that holds memory may be slow while others wait for it, in milliseconds. */
  readonly slowMs: number;
}

/** A request whose route is known and whose body is not read yet. */
export interface MemoryRequest {
  readonly request: IncomingMessage;
  readonly route: RouteEntry;
  readonly query: Readonly<Record<string, string | undefined>>;
}

/** A request that holds memory for its call. */
export interface HeldRequest {
  readonly body: Buffer | null;
  /** From now on the request holds its response, and waits for its client to take it. */
  sending(response: WireResponse): void;
  release(): void;
}

const MB = 1_048_576;
/** A body up to this size takes no more memory than its connection does. */
const SMALL_BODY_BYTES = 8_192;
/** A body that arrives is copied where its buffer grows. */
const COPIES_RECEIVED = 2;
/** A body in a function: as text, as values, and as the values and the text of the response. */
const COPIES_IN_CALL = 16;
const CALL_BYTES = MB;
/** A call for a task has the whole project too, and a whole list has its compressed response. */
const LARGE_CALL_BYTES = 24 * MB;
const READ_BYTES = 8 * MB;
/** A read whose response length is known, beside a few copies of the response. */
const KNOWN_READ_BYTES = 65_536;
const COPIES_IN_READ = 4;
/** How much of its body a client has to send in each `slowMs` while others wait. */
const PROGRESS_BYTES = 256_000;

/**
 * Shares out the memory of requests, so that the process stays below 512 MB. Each kind of request waits for its own kind
 * only: slow clients and large requests hold up no small ones, and requests without credentials hold up no others.
 */
export class RequestMemory {
  readonly #slowMs: number;
  readonly #pools;
  /** The length of each project's response, by its path and `Accept-Encoding`. */
  readonly #lengths = new Map<string, number>();

  constructor({ waitMs = 60_000, slowMs = 5_000 }: Partial<MemoryOptions> = {}) {
    this.#slowMs = slowMs;
    const pool = (megabytes: number) => new ByteSemaphore(megabytes * MB, waitMs);
    this.#pools = {
      bodies: pool(32),
      largeCalls: pool(64),
      reads: pool(64),
      calls: pool(32),
      anonymousBodies: pool(8),
      anonymousCalls: pool(24),
    };
  }

  /**
   * Waits for memory and reads the body, then waits for memory for the call.
   * @throws {GatewayError} THROTTLED after `waitMs`, BAD_REQUEST_BODY if the client has gone away; or as `readBody` does
   */
  async hold(held: MemoryRequest): Promise<HeldRequest> {
    const { socket } = held.request;
    const maxBytes = maxBodyBytes(held.request, held.route.body);
    const bodyBytes = maxBytes > SMALL_BODY_BYTES ? COPIES_RECEIVED * maxBytes : 0;
    const bodies = held.route.scope === null ? this.#pools.anonymousBodies : this.#pools.bodies;
    if (bodyBytes > 0) await acquire(bodies, bodyBytes, socket);
    try {
      const stopWatch = bodyBytes > 0 ? this.#watch(bodies, socket, () => socket.bytesRead) : () => {};
      const body = await readBody(held.request, held.route.body).finally(stopWatch);
      return await this.#holdCall(held, body);
    } finally {
      bodies.release(bodyBytes);
    }
  }

  async #holdCall(held: MemoryRequest, body: Buffer | null): Promise<HeldRequest> {
    const { socket } = held.request;
    let bytes = this.#callBytes(held, body);
    const pool = this.#poolOf(held.route, bytes);
    await acquire(pool, bytes, socket);
    let stopWatch = () => {};
    return {
      body,
      sending: (response) => {
        this.#rememberLength(held, response);
        pool.release(bytes - response.body.length);
        bytes = response.body.length;
        stopWatch = this.#watch(pool, socket, () => 0);
      },
      release: () => {
        stopWatch();
        pool.release(bytes);
      },
    };
  }

  /** Ends a client that makes too little progress while others wait. @returns ends the watch */
  #watch(pool: ByteSemaphore, socket: Socket, progress: () => number): () => void {
    let before = progress();
    const timer = setInterval(() => {
      const now = progress();
      if (pool.isContended && now - before < PROGRESS_BYTES) socket.destroy();
      before = now;
    }, this.#slowMs).unref();
    return () => clearInterval(timer);
  }

  #poolOf(route: RouteEntry, bytes: number): ByteSemaphore {
    const { anonymousCalls, largeCalls, reads, calls } = this.#pools;
    if (route.scope === null) return anonymousCalls;
    if (bytes > READ_BYTES) return largeCalls;
    return route.function === 'readProjects' ? reads : calls;
  }

  #callBytes({ request, route, query }: MemoryRequest, body: Buffer | null): number {
    const isWholeList = route.id === 'listProjects' && query['limit'] === undefined;
    const moreBytes = isWholeList || query['taskId'] !== undefined ? LARGE_CALL_BYTES : 0;
    if (route.function === 'readProjects') {
      const length = this.#lengths.get(lengthKey(request, request.url)) ?? READ_BYTES;
      return moreBytes + Math.min(READ_BYTES, KNOWN_READ_BYTES + COPIES_IN_READ * length);
    }
    const bodyBytes = body && isGzip(body) ? BODY_LIMITS[route.body].maxBytes : (body?.length ?? 0);
    return moreBytes + CALL_BYTES + COPIES_IN_CALL * bodyBytes;
  }

  /** Remembers how long a project is. Its id is never another project's, and a project does not grow. */
  #rememberLength({ request, route }: MemoryRequest, { status, headers, body }: WireResponse): void {
    if (route.id === 'createProject' && status === 201) {
      remember(this.#lengths, lengthKey(request, URL.parse(String(headers['Location']))?.pathname), body.length);
    } else if (route.id === 'getProject' && status === 200) {
      remember(this.#lengths, lengthKey(request, request.url), body.length);
    }
  }
}

/** @throws {GatewayError} THROTTLED, or BAD_REQUEST_BODY if the client has gone away, so that nobody needs the bytes */
async function acquire(pool: ByteSemaphore, bytes: number, socket: Socket): Promise<void> {
  await pool.acquire(bytes);
  if (!socket.destroyed) return;
  pool.release(bytes);
  throw new GatewayError('BAD_REQUEST_BODY');
}

function lengthKey({ headers }: IncomingMessage, path: string | undefined): string {
  return `${headers['accept-encoding'] ?? ''} ${path}`;
}
