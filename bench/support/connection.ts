import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** The parts of a request. They are converted to bytes before any measurement. */
export interface RequestParts {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

export interface Answer {
  readonly status: number;
  /** The status line and the headers. */
  readonly head: string;
  /**
   * Returns the body as it was received. The chunks are joined only by this call, so that the measured time does not
   * include it.
   */
  body(): Buffer;
}

/** The head of an answer, and the length of head and body together in bytes. */
interface Frame {
  readonly head: string;
  readonly length: number;
}

/** A request whose answer has not been fully received. */
interface Pending {
  readonly chunks: Buffer[];
  received: number;
  frame: Frame | undefined;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

const HEAD_END = '\r\n\r\n';

/** Returns the bytes of an HTTP/1.1 request. */
export function requestBytes({ method, path, headers = {}, body = new Uint8Array() }: RequestParts): Buffer {
  const fields = { Host: '127.0.0.1', ...headers, ...(body.length > 0 && { 'Content-Length': body.length }) };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1'), body]);
}

/**
 * A kept-alive HTTP connection with one request at a time. The client of `node:http` is not used, because it costs more
 * than the measured servers.
 */
export class Connection implements Disposable {
  readonly #socket: Socket;
  #pending: Pending | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.#take(chunk));
    socket.on('error', (error) => this.#pending?.reject(error));
    socket.on('close', () =>
      this.#pending?.reject(new Error('The server closed the connection before its answer was complete')),
    );
  }

  /** Opens a connection. @param url the URL of a server on this machine, such as `http://127.0.0.1:8787` */
  static async open(url: string): Promise<Connection> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    return new Connection(socket);
  }

  /**
   * Sends a request. Resolves when the last byte of the answer has arrived. The answer must have a `Content-Length`.
   */
  exchange(request: Buffer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#pending = { chunks: [], received: 0, frame: undefined, resolve, reject };
      this.#socket.write(request, (error) => error && reject(error));
    });
  }

  [Symbol.dispose](): void {
    this.#pending = undefined;
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    const pending = this.#pending;
    if (!pending) return;
    pending.chunks.push(chunk);
    pending.received += chunk.length;
    pending.frame ??= frameOf(Buffer.concat(pending.chunks));
    if (!pending.frame || pending.received < pending.frame.length) return;
    this.#pending = undefined;
    const { chunks, frame } = pending;
    const { head, length } = frame;
    if (Number.isNaN(length)) pending.reject(new Error(`The answer has no Content-Length: ${head}`));
    const body = () => Buffer.concat(chunks).subarray(head.length);
    pending.resolve({ status: statusOf(head), head, body });
  }
}

/**
 * Reads the head of an answer. Without a `Content-Length`, the length is `NaN`.
 * @returns `undefined` until the head is complete
 */
function frameOf(bytes: Buffer): Frame | undefined {
  const end = bytes.indexOf(HEAD_END);
  if (end < 0) return undefined;
  const head = bytes.toString('latin1', 0, end + HEAD_END.length);
  const bodyLength = statusOf(head) === 204 ? 0 : Number(/^content-length: (\d+)\r$/im.exec(head)?.[1]);
  return { head, length: head.length + bodyLength };
}

function statusOf(head: string): number {
  return Number(head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length));
}
