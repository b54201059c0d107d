import { basicHeader } from '../credentials/basic.ts';
import type { Send } from './shield.ts';
import { upstreamTokens } from './tokens.ts';
import type { Exchange } from './transport.ts';
import type { Time } from './within.ts';

/** Shows the account in its scheme. A token that is refused is replaced once: what is answered with 401 was not done. */
export function asAccount(send: Send, time: Time): Send {
  const tokens = upstreamTokens(send, time);
  return async (account, exchange) => {
    if (account.scheme !== 'bearer') return send(account, showing(exchange, basicHeader(account)));
    for (let isRenewed = false; ; isRenewed = true) {
      const token = await tokens.of(account, exchange.deadline);
      if (typeof token !== 'string') return token;
      const answer = await send(account, showing(exchange, `Bearer ${token}`));
      if (answer.status !== 401) return answer;
      tokens.drop(account, token);
      if (isRenewed) return answer;
    }
  };
}

function showing(exchange: Exchange, authorization: string): Exchange {
  return { ...exchange, headers: { ...exchange.headers, authorization } };
}
