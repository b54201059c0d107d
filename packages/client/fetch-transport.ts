import { writeBaseUrl } from '../../lib/contract/base-url.ts';
import { codeOf, NoAnswer, OUT_OF_TIME, type Transport } from '../../lib/service/http-client/exchange.ts';
import { MAX_BODY_BYTES, type ResponseBody } from '../../lib/service/http-client/response-body.ts';

/** Codes of Node for a request that failed before a connection was open. A browser gives no codes. */
const NOT_SENT =
  /^(?:BAD_PORT|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|CERT_.*|.*_CERT.*)$/;

/**
 * Makes a transport that sends requests with `fetch`, in browsers and in Node.
 * @param base the base URL; if it has a path, the path of each request is appended to it
 */
export function fetchTransport(base: URL): Transport {
  const prefix = writeBaseUrl(base);
  return async ({ method, path, headers, body, deadline, maxBodyBytes = MAX_BODY_BYTES }) => {
    const remainingMs = deadline.remainingMs();
    if (remainingMs <= 0) throw new NoAnswer(false, OUT_OF_TIME);
    const signal = AbortSignal.timeout(Math.ceil(remainingMs));
    const response = await fetch(prefix + path, {
      method,
      headers,
      body: typeof body === 'object' ? Uint8Array.from(body) : (body ?? null),
      signal,
      // A redirect could send credentials elsewhere, and cookies of a page stay out.
      redirect: 'manual',
      credentials: 'omit',
      cache: 'no-store',
    }).catch((error: unknown) => {
      const code = signal.aborted ? OUT_OF_TIME : fetchCode(error);
      throw new NoAnswer(!NOT_SENT.test(code), code);
    });
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: await readBody(response, maxBodyBytes),
    };
  };
}

/** Reads the body of a response, which `fetch` has decoded. Stops at the size limit. */
async function readBody({ body }: Response, maxBytes: number): Promise<ResponseBody> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = body?.getReader();
  try {
    for (let read = await reader?.read(); read?.value; read = await reader?.read()) {
      length += read.value.length;
      if (length > maxBytes) {
        void reader?.cancel();
        return 'unusable';
      }
      chunks.push(read.value);
    }
  } catch {
    return 'lost';
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/** Returns the code of the error that made `fetch` fail. */
function fetchCode(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  // The Fetch standard forbids some ports. Node gives no code for that.
  return cause instanceof Error && cause.message === 'bad port' ? 'BAD_PORT' : codeOf(cause);
}
