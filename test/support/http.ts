import { Agent, type IncomingHttpHeaders, type IncomingMessage, request as plainRequest } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { gunzipSync } from 'node:zlib';

/** A request as it is sent. Nothing is normalised or added except `Host` and `Content-Length`. */
export interface HttpRequest {
  readonly method: string;
  /** The path after the base URL, byte for byte: dot segments, `%2F` and repeated parameters stay. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Uint8Array;
}

/** An answer as received, and its text with gzip undone. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The body as received, before any decoding. */
  readonly bytes: Buffer;
  readonly text: string;
}

const agents = { 'http:': new Agent({ keepAlive: true }), 'https:': new SecureAgent({ keepAlive: true }) };

/** Sends one request to a base URL such as `http://127.0.0.1:8787` or `https://host/stage`. */
export function send(baseUrl: string, { method, path, headers = {}, body }: HttpRequest): Promise<HttpAnswer> {
  const base = new URL(baseUrl);
  const secure = base.protocol === 'https:';
  const bytes = body === undefined ? undefined : Buffer.from(body);
  return new Promise((resolve, reject) => {
    const request = (secure ? secureRequest : plainRequest)({
      agent: agents[secure ? 'https:' : 'http:'],
      hostname: base.hostname,
      port: base.port,
      method,
      path: base.pathname.replace(/\/$/, '') + path,
      headers: { ...copy(headers), ...(bytes && { 'content-length': bytes.length }) },
    });
    // A server may answer and hang up before it has read a body that it refuses. Then the answer counts, not the broken
    // pipe.
    let answered = false;
    request.on('error', (error) => answered || reject(error));
    request.on('response', (response) => {
      answered = true;
      read(response).then(resolve, reject);
    });
    request.end(bytes);
  });
}

function copy(headers: NonNullable<HttpRequest['headers']>): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
  );
}

async function read(response: IncomingMessage): Promise<HttpAnswer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const encoded = response.headers['content-encoding'] === 'gzip' && bytes.length > 0;
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    bytes,
    text: (encoded ? gunzipSync(bytes) : bytes).toString('utf8'),
  };
}
