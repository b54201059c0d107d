import { signingSecret } from '#platform';
import { signingKeyRotation } from '../../lib/background/rotation.ts';

export const handler = signingKeyRotation({ ...signingSecret(), now: Date.now });
