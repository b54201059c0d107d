import type { IncomingMessage } from 'node:http';
import { BODY_LIMITS, type OperationId } from '../lib/contract/routes.ts';
import { isGzip, mostBodyBytes, mostUnpackedBytes } from './body.ts';
import { type ByteLease, ByteSemaphore } from './byte-semaphore.ts';
import type { WireResponse } from './response.ts';
import type { RouteEntry } from './target.ts';

export interface MemoryOptions {
  /** How long a request waits for memory, in milliseconds. */
  readonly waitMs: number;
  /** A client that holds memory for which others wait has to move `progressBytes` in each `slowMs`, or is ended. */
  readonly slowMs: number;
  readonly progressBytes: number;
}

/** A request whose route is known and whose body is not read yet. */
export interface MemoryRequest {
  readonly request: IncomingMessage;
  readonly route: RouteEntry;
  readonly query: Readonly<Record<string, string | undefined>>;
  /** Reads the body. */
  readonly receive: () => Promise<Buffer | null>;
  /** Ends the connection of a body that arrives too slowly. */
  readonly hangUp: () => void;
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
const TASK_BYTES = 24 * MB;
/** The largest compressed response, as bytes and as base64, beside the page that is read. */
const WHOLE_LIST_BYTES = 24 * MB;
const LARGE_CALL_BYTES = 8 * MB;
/** These respond with much, whatever their request was. */
const READ_BYTES: Readonly<Partial<Record<OperationId, number>>> = {
  getProject: 4 * MB,
  getProjectByCustomId: 4 * MB,
  getOperation: 8 * MB,
  listProjects: 8 * MB,
};
/** A read whose response length is known, beside a few copies of the response. */
const KNOWN_READ_BYTES = 65_536;
const COPIES_IN_READ = 4;
/** How many response lengths are remembered. */
const MOST_LENGTHS = 10_000;

const DEFAULTS: MemoryOptions = { waitMs: 60_000, slowMs: 5_000, progressBytes: 256_000 };

/**
 * Shares out the memory of requests, so that the process stays below 512 MB. Bodies that arrive, large calls, reads and
 * other calls wait for their own kind only: slow clients and large requests hold up no small ones. Requests without
 * credentials have memory of their own.
 */
export class RequestMemory {
  readonly #options: MemoryOptions;
  readonly #semaphores;
  /** The length of each project's response, by its path and `Accept-Encoding`. The oldest comes first. */
  readonly #lengths = new Map<string, number>();

  constructor(options: Partial<MemoryOptions> = {}) {
    this.#options = { ...DEFAULTS, ...options };
    const { waitMs } = this.#options;
    this.#semaphores = {
      bodies: new ByteSemaphore({ capacity: 32 * MB, waitMs }),
      largeCalls: new ByteSemaphore({ capacity: 64 * MB, waitMs }),
      reads: new ByteSemaphore({ capacity: 48 * MB, waitMs }),
      calls: new ByteSemaphore({ capacity: 32 * MB, waitMs }),
      anonymousBodies: new ByteSemaphore({ capacity: 8 * MB, senderCapacity: 2 * MB, waitMs }),
      anonymousCalls: new ByteSemaphore({ capacity: 16 * MB, waitMs }),
      anonymousPages: new ByteSemaphore({ capacity: 16 * MB, waitMs }),
    };
  }

  /**
   * Waits for memory and reads the body, then waits for memory for the call.
   * @throws {GatewayError} as `ByteSemaphore.acquire` and `receive` do
   */
  async hold(held: MemoryRequest): Promise<HeldRequest> {
    const { socket } = held.request;
    const isGone = () => socket.destroyed;
    const received = await this.#receive(held, isGone);
    try {
      const { body } = received;
      const bytes = this.#callBytes(held, body);
      const semaphore = this.#semaphoreOf(held, bytes);
      const lease = await semaphore.acquire({ bytes, isGone });
      let stopWatching = () => {};
      return {
        body,
        sending: (response) => {
          this.#rememberLength(held, response);
          lease.resize(response.body.length);
          stopWatching = this.#watch(
            semaphore,
            () => 0,
            () => socket.destroy(),
          );
        },
        release: () => {
          stopWatching();
          lease.release();
        },
      };
    } finally {
      received.lease?.release();
    }
  }

  async #receive(
    { request, route, receive, hangUp }: MemoryRequest,
    isGone: () => boolean,
  ): Promise<{ readonly body: Buffer | null; readonly lease?: ByteLease }> {
    const mostBytes = mostBodyBytes(request, route.body);
    if (mostBytes <= SMALL_BODY_BYTES) return { body: await receive() };
    const { socket } = request;
    const semaphore = route.scope === null ? this.#semaphores.anonymousBodies : this.#semaphores.bodies;
    const bytes = COPIES_RECEIVED * mostBytes;
    const lease = await semaphore.acquire({
      bytes,
      ...(route.scope === null && { sender: socket.remoteAddress ?? '' }),
      isGone,
    });
    const stopWatching = this.#watch(semaphore, () => socket.bytesRead, hangUp);
    try {
      return { body: await receive(), lease };
    } catch (error) {
      lease.release();
      throw error;
    } finally {
      stopWatching();
    }
  }

  /** Ends a client that makes too little progress while others wait. @returns ends the watch */
  #watch(semaphore: ByteSemaphore, progress: () => number, end: () => void): () => void {
    const { slowMs, progressBytes } = this.#options;
    let before = progress();
    const timer = setInterval(() => {
      const now = progress();
      if (semaphore.isContended && now - before < progressBytes) end();
      before = now;
    }, slowMs).unref();
    return () => clearInterval(timer);
  }

  #semaphoreOf({ route }: MemoryRequest, bytes: number): ByteSemaphore {
    const { anonymousCalls, anonymousPages, largeCalls, reads, calls } = this.#semaphores;
    if (route.scope === null) return route.body === 'none' ? anonymousPages : anonymousCalls;
    if (bytes > LARGE_CALL_BYTES) return largeCalls;
    return route.id in READ_BYTES ? reads : calls;
  }

  #callBytes({ request, route, query }: MemoryRequest, body: Buffer | null): number {
    const length = body?.length ?? 0;
    const { mostBytes } = BODY_LIMITS[route.body];
    const bodyBytes = body && isGzip(body) ? Math.min(mostUnpackedBytes(length), mostBytes) : length;
    const taskBytes = query['taskId'] === undefined ? 0 : TASK_BYTES;
    return this.#responseBytes(route, query, request) + COPIES_IN_CALL * bodyBytes + taskBytes;
  }

  #responseBytes({ id }: RouteEntry, { limit }: MemoryRequest['query'], request: IncomingMessage): number {
    if (id === 'listProjects' && limit === undefined) return WHOLE_LIST_BYTES;
    const mostBytes = READ_BYTES[id] ?? CALL_BYTES;
    const known = id === 'getProject' ? this.#lengths.get(lengthKey(request, request.url)) : undefined;
    return known === undefined ? mostBytes : Math.min(mostBytes, KNOWN_READ_BYTES + COPIES_IN_READ * known);
  }

  /** Remembers how long a project is. Its id is never another project's, and a project does not grow. */
  #rememberLength({ request, route }: MemoryRequest, { status, headers, body }: WireResponse): void {
    const isCreated = route.id === 'createProject' && status === 201;
    if (!isCreated && !(route.id === 'getProject' && status === 200)) return;
    const path = isCreated ? URL.parse(String(headers['Location']))?.pathname : request.url;
    const key = lengthKey(request, path);
    this.#lengths.delete(key);
    this.#lengths.set(key, body.length);
    const [oldest] = this.#lengths.keys();
    if (this.#lengths.size > MOST_LENGTHS && oldest !== undefined) this.#lengths.delete(oldest);
  }
}

function lengthKey({ headers }: IncomingMessage, path: string | undefined): string {
  return `${headers['accept-encoding'] ?? ''} ${path}`;
}
