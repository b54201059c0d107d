/** How long an access token lives. */
export const ACCESS_TOKEN_SECONDS = 1_800;
/** How long a refresh token lives. */
export const REFRESH_TOKEN_SECONDS = 86_400;
/** How far the clocks of two machines may differ. */
export const SKEW_SECONDS = 60;
