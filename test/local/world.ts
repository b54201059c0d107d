import { onTestFinished } from 'vitest';
import type { DeniedResult } from '../../lib/http/authorizer.ts';
import type { ProxyResult } from '../../lib/http/http-result.ts';
import type { AuthorizerEvent } from '../../local/authorizer.ts';
import type { GatewayEvent } from '../../local/event.ts';
import { createGateway, type Gateway, type GatewayOptions } from '../../local/gateway.ts';
import type { AuthorizerHandler, FunctionFailure, HttpHandler, LambdaContext } from '../../local/pipeline.ts';
import { heldNow } from '../lib/support.ts';
import { forEachOperation } from '../support/routes.ts';

export const AUTHORIZATION = { Authorization: 'Basic YWNtZTprZXk=' };

export interface Call {
  readonly operation: Parameters<Parameters<typeof forEachOperation>[0]>[0]['id'];
  readonly event: GatewayEvent;
  readonly context: LambdaContext;
}

export interface Fixture {
  readonly gateway: Gateway;
  readonly port: number;
  readonly url: string;
  readonly calls: Call[];
  readonly authorized: AuthorizerEvent[];
  readonly failures: FunctionFailure[];
  /** Returns the only call. */
  only(): Call;
}

/**
 * Returns the head of a request with credentials.
 * @param lines further headers, each with its line break
 */
export function head(method: string, path: string, lines = ''): string {
  return `${method} ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: x\r\n${lines}\r\n`;
}

/** Holds calls of a handler at `pass` until `leave` is called. `entered` resolves with the first call. */
export function gate() {
  const { promise: entered, resolve: enter } = Promise.withResolvers<void>();
  const { promise: left, resolve: leave } = Promise.withResolvers<void>();
  const pass = () => {
    enter();
    return left;
  };
  return { entered, leave, pass };
}

/** What the authorizer returns for refused credentials. */
export const DENIED: DeniedResult = {
  principalId: 'refused',
  policyDocument: {
    Version: '2012-10-17',
    Statement: [{ Effect: 'Deny', Action: 'execute-api:Invoke', Resource: '*' }],
  },
  context: { reason: 'The credentials are refused here.' },
};

/** The answer of an authorizer that allows a request. */
export const ALLOWED = {
  principalId: 'acme',
  context: { companyId: 'acme', keyId: 'key', scopes: 'create read delete' },
};

/** A function for an operation. It returns a part of a result; the rest has default values. */
export type PlayedHandler = (
  ...call: Parameters<HttpHandler>
) => Promise<Partial<ProxyResult> & Pick<ProxyResult, 'statusCode'>>;

export interface FixtureOptions extends Omit<GatewayOptions, 'handlers' | 'authorizer' | 'now'> {
  /** The clock. By default it stands still. */
  readonly now?: () => number;
  /** The work of every operation. The call is recorded first. */
  readonly handler?: PlayedHandler;
  readonly authorizer?: AuthorizerHandler;
}

/** Starts a gateway in front of functions that record their calls. It runs until the test ends. */
export async function startFixture({ handler, authorizer, ...options }: FixtureOptions = {}): Promise<Fixture> {
  const calls: Call[] = [];
  const authorized: AuthorizerEvent[] = [];
  const failures: FunctionFailure[] = [];
  const operation =
    ({ id }: { readonly id: Call['operation'] }): HttpHandler =>
    async (event, context) => {
      calls.push({ operation: id, event, context });
      return {
        headers: {},
        body: '{}',
        isBase64Encoded: false,
        ...((await handler?.(event, context)) ?? { statusCode: 200 }),
      };
    };
  const gateway = createGateway({
    handlers: forEachOperation(operation),
    async authorizer(event, context) {
      authorized.push(event);
      return authorizer ? authorizer(event, context) : ALLOWED;
    },
    onFailure: (failure) => failures.push(failure),
    now: heldNow,
    ...options,
  });
  const port = await gateway.listen(0);
  onTestFinished(() => gateway.close());
  return {
    gateway,
    port,
    url: `http://127.0.0.1:${port}`,
    calls,
    authorized,
    failures,
    only() {
      const [call] = calls;
      if (!call || calls.length > 1) throw new Error(`There were ${calls.length} calls`);
      return call;
    },
  };
}
