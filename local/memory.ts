import type { IncomingMessage } from 'node:http';
import { LIMITS } from '../lib/contract/limits.ts';
import { BODY_LIMITS } from '../lib/contract/routes.ts';
import { isGzip } from '../lib/http/middleware/body.ts';
import { nextTurn } from '../lib/service/turn.ts';
import { maxBodyBytes, readBody } from './body.ts';
import { ByteSemaphore } from './byte-semaphore.ts';
import { KnownLengths, type ResponseLengths } from './known-lengths.ts';
import type { WireResponse } from './response.ts';
import type { RouteEntry } from './target.ts';

export interface MemoryOptions {
  /** How long a request may wait for memory, in milliseconds. */
  readonly waitMs: number;
  /** How long a client that holds memory may make too little progress while others wait, in milliseconds. */
  readonly slowMs: number;
}

/** A request that needs memory for its body and its call. Its fields decide how much. The body is not read yet. */
export interface MemoryRequest {
  readonly request: IncomingMessage;
  readonly route: RouteEntry;
  readonly query: Readonly<Record<string, string | undefined>>;
  /** The company that sent it; absent if it needs no credentials. */
  readonly companyId?: string;
}

/** A request for which memory is reserved. */
export interface HeldRequest {
  readonly body: Buffer | null;
  /** Reduces the reservation to the length of the response, and starts to watch how fast the client takes it. */
  sending(response: WireResponse): void;
  release(): void;
}

const MB = 1_048_576;
/** The largest body that needs no reservation, in bytes. It takes no more memory than its connection. */
const SMALL_BODY_BYTES = 8_192;
/** How many copies of a body are in memory while it arrives: when its buffer grows, the body is copied. */
const COPIES_RECEIVED = 2;
/** How many times the size of its body a call takes in memory: text, values, and the response's values and text. */
const COPIES_IN_CALL = 16;
/** The memory of a call without its body, in bytes. */
const CALL_BYTES = MB;
/**
 * The additional memory of a call for a task, of a put or for a whole list, in bytes. A task and a put need the whole
 * project; a whole list is compressed.
 */
const LARGE_CALL_BYTES = 24 * MB;
/** The operations that return a whole list if the request has no limit. */
const LISTS: readonly RouteEntry['id'][] = ['listProjects', 'getSegments', 'getSegmentsByCustomId'];
/** The memory of a read whose response length is not known, in bytes. No read is counted with more. */
const READ_BYTES = 8 * MB;
/** How many copies of the response a read has in memory. */
const COPIES_IN_READ = 4;
/** How much the answer of a project can grow, in bytes: each language by its progress and the state of its work. */
const GROWTH_BYTES = 250 * LIMITS.targetLanguages;
/** The part of a pool that one company may use. */
const COMPANY_PART = 3 / 4;
/** How many bytes of its body a client must send in each `slowMs` while others wait. */
const PROGRESS_BYTES = 256_000;

/**
 * The memory that requests share, so that the process stays below 512 MB. Each kind of request has its own pool. Slow
 * clients and large requests therefore do not delay small requests, and requests without credentials do not delay
 * others. Companies share a pool round robin, and none of them may use all of it.
 */
export class RequestMemory {
  readonly #slowMs: number;
  readonly #pools;
  readonly #lengths = new KnownLengths();

  constructor({ waitMs = 60_000, slowMs = 5_000 }: Partial<MemoryOptions> = {}) {
    this.#slowMs = slowMs;
    const anonymous = (megabytes: number) => new ByteSemaphore(megabytes * MB, megabytes * MB, waitMs);
    const pool = (megabytes: number) => new ByteSemaphore(megabytes * MB, COMPANY_PART * megabytes * MB, waitMs);
    this.#pools = {
      bodies: pool(32),
      largeCalls: pool(64),
      reads: pool(64),
      calls: pool(32),
      anonymousBodies: anonymous(8),
      anonymousCalls: anonymous(24),
    };
  }

  /**
   * Waits for memory for the body, reads the body, and waits for memory for the call.
   * @throws {GatewayError} THROTTLED after `waitMs`, BAD_REQUEST_BODY if the client has gone, or an error of `readBody`
   */
  async hold(asked: MemoryRequest): Promise<HeldRequest> {
    const { request, route, companyId = '' } = asked;
    const { socket } = request;
    const maxBytes = maxBodyBytes(request, route.body);
    const bodyBytes = maxBytes > SMALL_BODY_BYTES ? COPIES_RECEIVED * maxBytes : 0;
    const bodies = route.scope === null ? this.#pools.anonymousBodies : this.#pools.bodies;
    if (bodyBytes > 0) await bodies.acquire(bodyBytes, companyId, socket);
    let stopWatch = bodyBytes > 0 ? this.#watch(bodies, asked, () => socket.bytesRead) : () => {};
    try {
      const body = await readBody(request, route.body).finally(stopWatch);
      const { pool, bytes, isLong, lengths } = await this.#acquire(asked, body);
      // If many long calls started in one turn of the event loop, a new request would wait for all of them.
      if (isLong) await nextTurn();
      let held = bytes;
      let isPut = mayPut(route);
      const endPut = () => {
        if (isPut) this.#lengths.endPut(companyId);
        isPut = false;
      };
      if (isPut) this.#lengths.beginPut(companyId);
      return {
        body,
        sending: (response) => {
          endPut();
          rememberLength(asked, response, lengths);
          pool.release(held - response.body.length, companyId);
          held = response.body.length;
          stopWatch = this.#watch(pool, asked, () => 0);
        },
        release: () => {
          endPut();
          stopWatch();
          pool.release(held, companyId);
        },
      };
    } finally {
      bodies.release(bodyBytes, companyId);
    }
  }

  /**
   * Destroys the connection of a client that makes too little progress while others wait.
   * @returns a function that ends the watch
   */
  #watch(pool: ByteSemaphore, { request, companyId = '' }: MemoryRequest, progress: () => number): () => void {
    let before = progress();
    const timer = setInterval(() => {
      const now = progress();
      if (now - before < PROGRESS_BYTES && pool.isContended(companyId)) request.socket.destroy();
      before = now;
    }, this.#slowMs).unref();
    return () => clearInterval(timer);
  }

  /** Waits for the memory of a call, and again if a put may have made its project longer meanwhile. */
  async #acquire(asked: MemoryRequest, body: Buffer | null) {
    const { request, companyId = '' } = asked;
    for (;;) {
      const { pool, ...before } = this.#needsOf(asked, body, this.#lengths.of(companyId));
      await pool.acquire(before.bytes, companyId, request.socket);
      const lengths = this.#lengths.of(companyId);
      const now = this.#needsOf(asked, body, lengths);
      if (now.bytes <= before.bytes) return { ...before, pool, lengths };
      pool.release(before.bytes, companyId);
    }
  }

  /** Returns how much memory of which pool a call needs, and whether it may take milliseconds of the event loop. */
  #needsOf({ request, route, query }: MemoryRequest, body: Buffer | null, lengths: ResponseLengths) {
    const { anonymousCalls, largeCalls, reads, calls } = this.#pools;
    const isRead = route.function === 'readProjects';
    const isWholeList = LISTS.includes(route.id) && query['limit'] === undefined;
    const needsProject = query['taskId'] !== undefined || mayPut(route);
    const moreBytes = isWholeList || needsProject ? LARGE_CALL_BYTES : 0;
    const bodyBytes = body && isGzip(body) ? BODY_LIMITS[route.body].maxBytes : (body?.length ?? 0);
    const knownLength = isRead ? lengths.get(lengthKey(request, request.url)) : undefined;
    const bytes = moreBytes + (isRead ? readBytesOf(knownLength ?? READ_BYTES) : callBytesOf(bodyBytes));
    if (route.scope === null) return { pool: anonymousCalls, bytes, isLong: false };
    const isLong = bytes > (isRead ? readBytesOf(SMALL_BODY_BYTES) : callBytesOf(SMALL_BODY_BYTES));
    return { pool: bytes > READ_BYTES ? largeCalls : isRead ? reads : calls, bytes, isLong };
  }
}

/** Remembers how long the response of a project is. Ids are never reused. */
function rememberLength(
  { request, route }: MemoryRequest,
  { status, headers, body }: WireResponse,
  lengths: ResponseLengths,
): void {
  if (route.id === 'createProject' && status === 201) {
    lengths.set(lengthKey(request, URL.parse(String(headers['Location']))?.pathname), body.length);
  } else if (route.id === 'getProject' && status === 200) {
    lengths.set(lengthKey(request, request.url), body.length);
  }
}

/** Whether a request may be a put. A message of an agent may be a request to any operation. */
function mayPut({ method, id }: RouteEntry): boolean {
  return method === 'PUT' || id === 'answerAgent';
}

function callBytesOf(bodyBytes: number): number {
  return CALL_BYTES + COPIES_IN_CALL * bodyBytes;
}

/** @param length the length of the response when the project was created or read */
function readBytesOf(length: number): number {
  return Math.min(READ_BYTES, COPIES_IN_READ * (length + GROWTH_BYTES));
}

function lengthKey({ headers }: IncomingMessage, path: string | undefined): string {
  return `${headers['accept-encoding'] ?? ''} ${path}`;
}
