/** The form of a company's id. */
export const COMPANY_ID = /^[A-Za-z0-9_-]{1,64}$/;
