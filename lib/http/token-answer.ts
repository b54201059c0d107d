import type { TokenAnswer } from '../contract/small-answers.ts';
import type { TokenPair } from '../credentials/token-pair.ts';
import { encodeText } from '../service/encoded-text.ts';
import type { Answer } from './answer.ts';

/** Answers a pair of tokens, under the names that public clients read. */
export async function tokenAnswer(
  { accessToken, refreshToken, expiresIn }: TokenPair,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const answer: TokenAnswer = { AccessToken: accessToken, RefreshToken: refreshToken, expiresIn };
  return { status: 200, headers, json: await encodeText(JSON.stringify(answer)) };
}
