import { expect, it } from 'vitest';
import { keepAliveAgent } from '../../../../lib/service/http-client/transport.ts';

it.each([true, false])('an agent serves until nobody used it for too long (secure: %s)', (isSecure) => {
  let nowMs = 0;
  const agent = keepAliveAgent({ isSecure, idleMs: 1_000, now: () => nowMs });
  const first = agent();
  for (let uses = 0; uses < 5; uses++) {
    nowMs += 1_000;
    expect(agent()).toBe(first);
  }
  nowMs += 1_001;
  const second = agent();
  expect(second).not.toBe(first);
  expect(agent()).toBe(second);
  nowMs -= 3_600_000;
  const third = agent();
  expect(third).not.toBe(second);
  expect(agent()).toBe(third);
});
