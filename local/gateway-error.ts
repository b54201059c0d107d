import type { GatewayResponseType } from '../lib/contract/gateway-responses.ts';

/** The gateway answers in place of a function. The error's name is the name of API Gateway's response. */
export class GatewayError extends Error {
  override readonly name: GatewayResponseType;
  /** Replaces the detail of the gateway response. */
  readonly detail: string | undefined;

  constructor(name: GatewayResponseType, { detail, ...options }: ErrorOptions & { readonly detail?: string } = {}) {
    super(name, options);
    this.name = name;
    this.detail = detail;
  }
}
